#include "hooke/fmi/manifest.h"

#include "hooke/io/document/document.h"
#include "hooke/io/document/reader.h"

namespace hooke {

FmuManifest read_manifest(const std::string& resources) {
  Diagnostics diagnostics;
  const Document document = load_document(resources + '/' + FmuManifest::file_name, {}, diagnostics);
  FmuManifest manifest;
  Reader(diagnostics).read(document.root(), type_of<FmuManifest>(), &manifest);
  diagnostics.throw_if_errors();
  return manifest;
}

}  // namespace hooke

#pragma once
#include "hooke/catalog/problem.h"
#include "hooke/io/model/linear_keys.h"
#include "hooke/io/model/participant_keys.h"

namespace hooke {

/// What the document has already made into numbers.
struct ParameterValues {};
template <>
inline constexpr const char* special_name<ParameterValues> = "parameters";

/// What `hooke study` does with the model; read by the Python package.
struct StudyKeys {};
template <>
inline constexpr const char* special_name<StudyKeys> = "study";

/// A whole file: a problem, and what makes it short to write.
struct FileKeys {
  static constexpr int version = 1;
  int hooke = version;
  std::vector<std::string> include;
  ParameterValues parameters;
  Problem problem;
  Named<LinearSubsystemKeys> linear;
  Named<ParticipantSettings> participants;
  Named<std::string> connections;
  Named<InterfaceSettings> interfaces;
  StudyKeys study;

  static void describe(auto& field) {
    field("hooke", &FileKeys::hooke, Doc{.text = "version of the file format: 1", .required = true});
    field("include", &FileKeys::include, Doc{.text = "files to include"});
    field("parameters", &FileKeys::parameters, Doc{.text = "named numbers for expressions"});
    field.flat(&FileKeys::problem);
    field("linear", &FileKeys::linear,
          Doc{.text = "instead of bodies: two coupled linear subsystems, given by their matrices"});
    field("participants", &FileKeys::participants,
          Doc{.text = "instead of bodies: FMUs and other model files, coupled through their variables"});
    field("connections", &FileKeys::connections,
          Doc{.text = "for each input of a participant, the output that it follows"});
    field("interfaces", &FileKeys::interfaces,
          Doc{.text = "instead of connections: where participants exchange motions and forces, for "
                      "coupling.force-displacement"});
    field("study", &FileKeys::study, Doc{.text = "what `hooke study` varies and asks for (studies.md)"});
  }
};

}  // namespace hooke

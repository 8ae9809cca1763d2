#pragma once
#include "hooke/coupling/participant.h"
#include "hooke/fmi/cosimulation.h"
#include "hooke/fmi/fmu_link.h"

namespace hooke {

/// A participant of a co-simulation file. Its inputs and outputs are those that are connected; what is recorded is read apart.
class Member : public Participant {
 public:
  explicit Member(std::string name) : name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  int inputs() const override { return static_cast<int>(input_names_.size()); }
  int outputs() const override { return static_cast<int>(output_names_.size()); }
  std::string output_name(int i) const override { return output_names_[static_cast<std::size_t>(i)]; }

  /// The place of an input or output in u or y; it is taken up when it is first asked for. Throws Error for what is not there.
  int place_of_input(const std::string& variable);
  int place_of_output(const std::string& variable);
  virtual bool can_go_back() const = 0;
  /// Once, after all connections are known.
  virtual void begin(double start) = 0;
  struct Recorded {
    std::string name, unit;
  };
  virtual std::vector<Recorded> recorded() const = 0;
  virtual void record(double* values) = 0;

 protected:
  virtual void add_input(const std::string& variable) = 0;
  virtual void add_output(const std::string& variable) = 0;

 private:
  std::string name_;
  std::vector<std::string> input_names_, output_names_;
};

std::unique_ptr<Member> make_member(const std::string& name, const ParticipantSettings& settings,
                                    const std::string& folder);

}  // namespace hooke

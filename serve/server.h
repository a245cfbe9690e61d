// `tinylm serve`: a model behind HTTP.
//
// Two threads. The one that calls run() computes: the model, the tokenizer and everything in ServedModel are its alone.
// The other holds the connections (HttpServer), reads requests into plain values and puts them into the WorkQueue; it
// touches only values that do not change after the constructor. Reply and WorkQueue are what both share, each with its
// own lock.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "run/run.h"
#include "serve/options.h"

namespace tinylm {

class Server {
 public:
  /// Listens from now on. `loaded` must outlive it; `name` is what clients call the model. Throws WrongUse when it
  /// cannot listen, or for options that do not validate or a model that cannot continue texts.
  Server(LoadedModel& loaded, const std::string& name, const ServeOptions& options);
  ~Server();

  /// "http://127.0.0.1:8080", where a browser of this machine finds it.
  std::string address() const;
  /// Computes in the calling thread, on the threads it is set to use, until `stopped`, which is asked many times a
  /// second. Texts that are being written end then, their clients are told, and so are those who wait.
  void run(const std::function<bool()>& stopped);

 private:
  class Service;
  std::unique_ptr<Service> service_;
};

}  // namespace tinylm

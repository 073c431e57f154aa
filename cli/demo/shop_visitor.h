// Asks the demo's service for pages, one after the other over one connection, as a load balancer would keep it.
// Shape:  as much of HTTP/1.1 as answers with a Content-Length need.   Zone: offline.
// Errors: false, and trouble() says what: no connection, no answer in time, a status other than 200. A signal is no error; Ctrl-C
//         ends a wait at once, and interrupted() says so.
// Source: RFC 9112.
#pragma once

#include <cstdint>
#include <string>

#include "platforms/interrupts.h"
#include "platforms/loopback_stream.h"

namespace holdfast::cli {

class ShopVisitor {
 public:
  explicit ShopVisitor(platforms::Interrupts& interrupts) : interrupts_(interrupts) {}
  bool open(std::uint16_t port);
  bool get(const std::string& path);
  const std::string& trouble() const { return trouble_; }
  bool interrupted() const { return interrupted_; }

 private:
  template <class Step>
  std::int64_t in_time(const Step& step);
  bool send(const std::string& request);
  bool receive();
  bool said(int error);

  platforms::Interrupts& interrupts_;
  platforms::Descriptor stream_;
  std::string buffer_, trouble_;
  std::uint64_t end_ns_ = 0;  // of the answer's time
  bool interrupted_ = false;
};

// Of the head of an answer, up to the empty line; -1 where it has no Content-Length that can be.
std::int64_t content_length(const std::string& head);

}  // namespace holdfast::cli

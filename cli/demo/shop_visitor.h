// Asks the demo's service for pages, one after the other over one connection, as a load balancer would keep it.
// Shape:  as much of HTTP/1.1 as answers with a Content-Length need.   Zone: offline.
// Errors: false, and trouble() says what: no connection, no answer in time, a status other than 200.
// Source: RFC 9112.
#pragma once

#include <cstdint>
#include <string>

#include "platforms/loopback_stream.h"

namespace holdfast::cli {

class ShopVisitor {
 public:
  bool open(std::uint16_t port);
  bool get(const std::string& path);
  const std::string& trouble() const { return trouble_; }

 private:
  bool receive();
  bool said(int error);

  platforms::Descriptor stream_;
  std::string buffer_, trouble_;
};

// Of the head of an answer, up to the empty line; -1 where it has no Content-Length that can be.
std::int64_t content_length(const std::string& head);

}  // namespace holdfast::cli

import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesText, countText, durationText, matcher, packageOf, printable, shareText, shortened } from "./text.js";

test("sizes and shares", () => {
  assert.equal(bytesText(0), "0 B");
  assert.equal(bytesText(1023), "1023 B");
  assert.equal(bytesText(1024), "1.0 KB");
  assert.equal(bytesText(1024 * 1024 - 1), "1.0 MB", "never 1024.0 KB");
  assert.equal(bytesText(33_764_147), "32.2 MB");
  assert.equal(bytesText(2 ** 43), "8.0 TB");
  assert.equal(countText(1_234_567), "1,234,567");
  assert.equal(shareText(67, 100), "67 %");
  assert.equal(shareText(1, 100_000), "< 0.1 %");
  assert.equal(shareText(1, 0), "–");
});

test("durations", () => {
  assert.equal(durationText(0.412), "412 µs");
  assert.equal(durationText(12.64), "12.6 ms");
  assert.equal(durationText(1000), "1.0 s");
  assert.equal(durationText(7_200_000), "2.0 h");
});

test("long names lose their middle, never the telling end, and no letter is cut in two", () => {
  assert.equal(shortened("java.lang.String", 64), "java.lang.String");
  const long = shortened(`com.acme.${"x".repeat(10_000)}.SessionRegistry`, 40);
  assert.equal(Array.from(long).length, 40);
  assert.match(long, /^com\.acme\..*….*SessionRegistry$/);
  assert.equal(shortened("😀".repeat(50), 4), "😀…😀😀");
});

test("what cannot be seen is written out", () => {
  assert.equal(printable("a\u001b[31m\u202eb\n"), "a\\u001b[31m\\u202eb\\u000a");
  assert.equal(printable("\ud800x"), "\\ud800x");
  assert.equal(printable("שלום 😀"), "שלום 😀");
});

test("packages", () => {
  assert.equal(packageOf("java.util.Map$Entry[]"), "java.util");
  assert.equal(packageOf("byte[][]"), "(primitive arrays)");
  assert.equal(packageOf("LeakyService"), "(no package)");
  assert.equal(packageOf("Point[]"), "(no package)");
});

test("filters: words that all occur, patterns with stars, nothing else is special", () => {
  assert.ok(matcher("")("anything"));
  assert.ok(matcher("SHOP session")("shop.Session"));
  assert.ok(!matcher("shop cache")("shop.Session"));
  assert.ok(matcher("shop.*")("shop.Session"));
  assert.ok(!matcher("shop.*")("my.shop.Session"));
  assert.ok(matcher("char[]")("char[]"));
  assert.ok(!matcher("c*[]")("char"));
  assert.ok(matcher("a.b(*")("a.b(c"));
});

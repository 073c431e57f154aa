import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { textsBack, unpack } from "./unpack.js";

const PACKED = {
  texts: ["</script><img src=x onerror=alert(1)>", "\u2028", "b"],
  document: { a: "0", list: ["1", { b: "2", number: 7, nothing: null, yes: true }], empty: [] },
};
const PLAIN = {
  a: "</script><img src=x onerror=alert(1)>",
  list: ["\u2028", { b: "b", number: 7, nothing: null, yes: true }],
  empty: [],
};

test("texts come back to where they were, and nothing else changes", () => {
  assert.deepEqual(textsBack(structuredClone(PACKED)), PLAIN);
});

test("numbers of texts have 36 digits", () => {
  const texts = Array.from({ length: 100 }, (_, index) => `text ${index}`);
  assert.deepEqual(textsBack({ texts, document: ["2r", "z"] }), ["text 99", "text 35"]);
});

test("base64 and gzip", async () => {
  const packed = gzipSync(JSON.stringify(PACKED)).toString("base64");
  assert.deepEqual(await unpack(`\n${packed}\n`), PLAIN);
});

test("a damaged document is an error, not a page", async () => {
  const packed = gzipSync(JSON.stringify(PACKED)).toString("base64");
  await assert.rejects(unpack(packed.slice(0, 40)));
});

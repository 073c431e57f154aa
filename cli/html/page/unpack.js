// The document of the page: base64, gzip, every text once (cli/html/packed_document.h).

export function textsBack({ texts, document }) {
  const root = { document };
  /** @type {Record<string, any>[]} */
  const left = [root];
  for (let holder; (holder = left.pop()); ) {
    for (const key of Object.keys(holder)) {
      const value = holder[key];
      if (typeof value === "string") holder[key] = texts[parseInt(value, 36)];
      else if (value !== null && typeof value === "object") left.push(value);
    }
  }
  return root.document;
}

export async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.trim()), (character) => character.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return textsBack(JSON.parse(await new Response(plain).text()));
}

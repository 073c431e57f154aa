// read_pprof.mjs FILE: a profile as its own reader sees it, as JSON: totals, and each sample's stack with its values.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createRequire } from 'node:module';

const { Profile } = createRequire(process.env.HF_READERS + '/')('pprof-format');
const profile = Profile.decode(gunzipSync(readFileSync(process.argv[2])));
const text = (id) => profile.stringTable.strings[Number(id)];
const functions = new Map(profile.function.map((row) => [String(row.id), text(row.name)]));
const locations = new Map(profile.location.map((row) => [String(row.id), functions.get(String(row.line[0].functionId))]));

console.log(JSON.stringify({
  types: profile.sampleType.map((type) => text(type.type) + '/' + text(type.unit)),
  comments: profile.comment.map(text),
  samples: profile.sample.map((sample) => ({
    stack: sample.locationId.map((id) => locations.get(String(id))),
    values: sample.value.map(Number),
    labels: Object.fromEntries(sample.label.map((label) => [text(label.key), text(label.str)])),
  })),
}));

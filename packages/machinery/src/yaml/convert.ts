/** Whole texts between YAML and JSON, both in UTF-8. */
import { dump } from 'js-yaml';
import { readYaml } from './read-yaml.ts';

const encoder = new TextEncoder();
const utf8 = new TextDecoder();

/** What the first document of a YAML text says, as JSON, and its repeated keys. Throws as `readYaml`. */
export function yamlToJson(yaml: Uint8Array): { readonly json: Uint8Array; readonly problems: readonly string[] } {
  const { value, problems } = readYaml(utf8.decode(yaml));
  return { json: encoder.encode(JSON.stringify(value)), problems };
}

/** The YAML of a JSON text, keys in order. */
export function jsonToYaml(json: Uint8Array): Uint8Array {
  return encoder.encode(dump(JSON.parse(utf8.decode(json)), { sortKeys: true }));
}

import type { Rendering } from '../request/media.ts';
import type { Encoding } from './encoding.ts';
import { JSON_ENCODING } from './json.ts';

/** By the format that was negotiated. YAML is for people: written from the value, and never on a stream. */
const ENCODINGS: { readonly [format in Rendering['format']]: Encoding } = {
  json: JSON_ENCODING,
  yaml: JSON_ENCODING,
};

/** How a form is written. */
export function encodingOf({ format }: Rendering): Encoding {
  return ENCODINGS[format];
}

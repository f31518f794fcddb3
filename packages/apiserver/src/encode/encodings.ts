import type { Rendering } from '../request/media.ts';
import type { Encoding } from './encoding.ts';
import { JSON_ENCODING } from './json.ts';
import { PROTOBUF_ENCODING } from './protobuf.ts';

/** By the format that was negotiated. YAML is for people: written from the value, and never on a stream. */
const ENCODINGS: { readonly [format in Rendering['format']]: Encoding } = {
  json: JSON_ENCODING,
  yaml: JSON_ENCODING,
  protobuf: PROTOBUF_ENCODING,
};

/** How a form is written. */
export function encodingOf({ format }: Rendering): Encoding {
  return ENCODINGS[format];
}

/** The same for one value, which may be of a kind that only JSON knows. */
export function encodingFor(rendering: Rendering, value: object): Encoding {
  const encoding = encodingOf(rendering);
  return encoding.writes?.(value) === false ? JSON_ENCODING : encoding;
}

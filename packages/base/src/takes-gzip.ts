/** A token of `Accept-Encoding` that asks for no gzip: weight 0 with up to three noughts behind it. */
const REFUSED = /;[ \t]*q=0(?:\.0{0,3})?[ \t]*$/i;

/** Whether who sent this `Accept-Encoding` (RFC 9110) named gzip and did not refuse it by `q=0`; `*` names nothing. */
export function takesGzip(header: string): boolean {
  return header.split(',').some((token) => /^[ \t]*(?:x-)?gzip[ \t]*(?:;|$)/i.test(token) && !REFUSED.test(token));
}

import type { CatalogueError } from '@binnacle/base';
import { DecodeError, QuantityError, status } from '@binnacle/machinery';
import type { StatusError } from '@binnacle/machinery';
import type { ExpectedKind } from '../request/expected-kind.ts';

const SUMMARY_BYTES = 30;
const utf8 = new TextDecoder();

/** Whether the walker refused the input, as against a bug of ours. */
export function isDecodeError(error: unknown): error is CatalogueError {
  return error instanceof DecodeError || error instanceof QuantityError;
}

/** 400 in upstream's words for a body that does not decode. */
export function wrongShape(
  expected: ExpectedKind,
  why: string,
  input: {
    readonly bytes?: Uint8Array | undefined;
    /** What the body says that it is, where it can be read. */
    readonly found?: { readonly kind: string; readonly apiVersion: string } | undefined;
  },
): StatusError {
  const { bytes, found } = input;
  if (found === undefined) {
    const what = why === 'EOF' ? why : `couldn't get version/kind; json parse error: ${why}`;
    return unrecognised(expected, what, bytes);
  }
  const kind = found.kind === '' ? expected.kind : found.kind;
  const version =
    found.apiVersion === '' ? expected.version : found.apiVersion.slice(found.apiVersion.indexOf('/') + 1);
  return status.badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}: ${why}`,
  );
}

/** 400 for a body that does not say what it is. */
export function unrecognised(expected: ExpectedKind, why: string, bytes: Uint8Array | undefined): StatusError {
  return status.badRequest(
    `the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${summary(bytes)})`,
  );
}

/** 400 for a body that is not even a document. */
export function malformed(why: string, bytes: Uint8Array): StatusError {
  return status.badRequest(`the object provided is unrecognized: ${why} (${summary(bytes)})`);
}

function summary(bytes: Uint8Array | undefined): string {
  if (bytes === undefined || bytes.length === 0) return '<empty>';
  const head = bytes.subarray(0, SUMMARY_BYTES);
  const more = bytes.length > SUMMARY_BYTES ? ' ...' : '';
  if (bytes[0] === 0x7b) return utf8.decode(head) + more;
  let hex = '';
  for (const byte of head) hex += (byte + 0x100).toString(16).slice(1);
  return hex + more;
}

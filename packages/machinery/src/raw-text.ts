import type { CallContext } from '@binnacle/base';
import type { Status } from './generated/meta-v1.ts';
import { requestEntityTooLarge, StatusError } from './status-error.ts';
import type { RawReply, Wire } from './wire.ts';

/** What is longer has to be read as a stream, or limited (`limitBytes`). */
const TEXT_BYTES_MAX = 64 * 1024 * 1024;

/** GETs a path as text, as JSON where it is not said otherwise. Throws StatusError for a refusal, 413 for more than 64 MiB. */
export async function readText(
  wire: Pick<Wire, 'raw'>,
  path: string,
  { accept = 'application/json, */*', ...context }: CallContext & { readonly accept?: string } = {},
): Promise<string> {
  const reply = await wire.raw({ ...context, path, headers: { accept } });
  const text = await readReplyText(reply);
  if (reply.status >= 400) throw replyFailure({ status: reply.status, text }, path);
  return text;
}

/** The body of a reply as text. Throws 413 for more than 64 MiB, and ends the exchange then. */
export async function readReplyText(reply: Pick<RawReply, 'body'>): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  for await (const piece of reply.body) {
    size += piece.length;
    if (size > TEXT_BYTES_MAX) throw requestEntityTooLarge(`limit is ${TEXT_BYTES_MAX}`);
    parts.push(decoder.decode(piece, { stream: true }));
  }
  parts.push(decoder.decode());
  return parts.join('');
}

const REASONS: { readonly [code: number]: string } = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Gone',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** A failure Status as such; anything else (a proxy's page) as a Status made of the code. */
export function replyFailure(reply: { readonly status: number; readonly text: string }, path: string): StatusError {
  const status = parseStatus(reply.text);
  if (status !== undefined) return new StatusError({ code: reply.status, ...status });
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${path}: ${reply.text.slice(0, 1000)}`,
    reason: REASONS[reply.status] ?? 'InternalError',
    code: reply.status,
  });
}

function parseStatus(text: string): Status | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const status = JSON.parse(text) as Status;
    return status.kind === 'Status' ? status : undefined;
  } catch {
    // Not from the API, whatever it is.
    return undefined;
  }
}

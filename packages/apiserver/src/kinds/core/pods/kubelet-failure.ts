import { status, StatusError } from '@binnacle/machinery';
import type { NodeReply } from '../../../ports/nodes.ts';

/** No more of a refusal is read. */
const TEXT_BYTES_MAX = 50_000;

/** Reason and text of codes that mean something to clients; of a 403 the kubelet's own text is passed on. */
const KNOWN: { readonly [code: number]: readonly [reason: string, message: string] } = {
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: [
    'Timeout',
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
};

/** The refusal of a kubelet as clients see it; `about` is what was asked of which object (`pods/log`, its name). */
export async function kubeletFailure(
  reply: NodeReply,
  about: { readonly resource: string; readonly name: string },
): Promise<StatusError> {
  const text = await readReplyStart(reply.body);
  if (reply.status === 500) return status.internalError(text);
  if (reply.status === 400) return status.badRequest(text);
  const [reason, message] = meaningOf(reply.status, text);
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    // Upstream puts the verb first, which is empty here.
    message: `${message} ( ${about.resource} ${about.name})`,
    reason,
    details: { name: about.name, kind: about.resource },
    code: reply.status,
  });
}

function meaningOf(code: number, text: string): readonly [reason: string, message: string] {
  if (code === 403) return ['Forbidden', text];
  const known = KNOWN[code];
  if (known !== undefined) return known;
  if (code > 500)
    return [
      'InternalError',
      `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`,
    ];
  return ['Unknown', `the server responded with the status code ${code} but did not return more information`];
}

/** The beginning of a kubelet's answer, as text. Throws when the connection breaks. */
export async function readReplyStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true });
    if (text.length >= TEXT_BYTES_MAX) break;
  }
  return text.slice(0, TEXT_BYTES_MAX);
}

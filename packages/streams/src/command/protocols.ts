/** How a client of exec or attach speaks: the version of the protocol, and whether its channels are base64 text. */
export interface CommandProtocol {
  readonly name: string;
  /** 1 to 5: resize from 3, a Status at the end from 4, a half-close of stdin in a WebSocket from 5. */
  readonly version: number;
  readonly base64: boolean;
}

/** What SPDY speaks, best first. */
export const SPDY_COMMAND_PROTOCOLS = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io'];

/** A WebSocket without a subprotocol is spoken to as one of `channel.k8s.io`. */
export const WEBSOCKET_COMMAND_PROTOCOLS = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'v4.base64.channel.k8s.io',
  'v3.channel.k8s.io',
  'v3.base64.channel.k8s.io',
  'v2.channel.k8s.io',
  'v2.base64.channel.k8s.io',
  'channel.k8s.io',
  'base64.channel.k8s.io',
];

/** Reads the version out of a name; none is 1. */
export function commandProtocol(name: string): CommandProtocol {
  const version = /^v(\d)\./.exec(name)?.[1] ?? '1';
  return { name, version: Number(version), base64: name.includes('base64.') };
}

/**
 * The first of the client's wishes that is spoken; without wishes the empty name. Where none is spoken, what the client
 * hears (403), in upstream's words.
 */
export function agreeOnProtocol(
  header: string,
  spoken: readonly string[],
): { readonly name: string } | { readonly refusal: string } {
  const wished = namesIn(header);
  const name = wished.length === 0 ? '' : wished.find((one) => spoken.includes(one));
  if (name !== undefined) return { name };
  const list = (names: readonly string[]): string => `[${names.join(' ')}]`;
  return {
    refusal: `unable to upgrade: unable to negotiate protocol: client supports ${list(wished)}, server accepts ${list(spoken)}`,
  };
}

/** The names in a header, which may come several times and with several in one. */
export function namesIn(header: string): readonly string[] {
  return header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

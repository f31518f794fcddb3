import type { Duplex } from '@binnacle/base';
import type { HeaderCodec, Messages } from '@binnacle/streams';

/** The answer to a handshake. */
export interface AnsweredWebSocket {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string };
  /** The client's end, in bytes: what comes behind the answer's head. */
  readonly stream: Duplex;
  /** This side's end; undefined when the handshake was none, `stream` says why then. */
  readonly messages: Messages | undefined;
}

/** Takes WebSockets apart here, and puts SPDY together: for kubelets that speak SPDY alone. */
export interface WebSocketDesk {
  /** `headers` in lower case; `protocol`: the one that was chosen of the client's, empty where it named none. */
  accept(
    handshake: { readonly method: string; readonly headers: { readonly [name: string]: string } },
    protocol: string,
  ): Promise<AnsweredWebSocket>;
  createCodec(): HeaderCodec;
}

import type { Clock, Duplex, TurnBudget } from '@binnacle/base';
import { SpdyConnection } from '../spdy/connection.ts';
import type { HeaderCodec } from '../spdy/header-codec.ts';

/** What a translation stands on. */
export interface TranslationGround {
  readonly clock: Clock;
  /** One for each connection, which closes it. */
  readonly createCodec: () => HeaderCodec;
  readonly turns?: Pick<TurnBudget, 'take'>;
}

/** The client's end of SPDY on a connection that has changed to it. */
export function spdyClientOver(carrier: Duplex, { clock, createCodec, turns }: TranslationGround): SpdyConnection {
  return new SpdyConnection(carrier, {
    role: 'client',
    codec: createCodec(),
    clock,
    ...(turns === undefined ? {} : { turns }),
  });
}

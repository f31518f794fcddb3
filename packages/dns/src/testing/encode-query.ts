import * as oracle from 'dns-packet';

/** What else a query says. */
export interface QueryWish {
  readonly id?: number | undefined;
  /** By EDNS: bytes that an answer may have over UDP. */
  readonly edns?: number | undefined;
  /** Asks for recursion where absent. */
  readonly flags?: number | undefined;
}

/** A question as an independent library writes it. */
export function encodeQuery(name: string, type: string, wish: QueryWish = {}): Uint8Array {
  const { id = 7, edns, flags = oracle.RECURSION_DESIRED } = wish;
  const opt: Omit<oracle.OptAnswer, 'udpPayloadSize'> = {
    ...{ type: 'OPT', name: '.', flags: 0, ednsVersion: 0, extendedRcode: 0, flag_do: false, options: [] },
  };
  return oracle.encode({
    type: 'query',
    id,
    flags,
    questions: [{ name, type: type as 'A', class: 'IN' }],
    ...(edns === undefined ? {} : { additionals: [{ ...opt, udpPayloadSize: edns }] }),
  });
}

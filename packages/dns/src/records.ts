/** Types of records by number (IANA, DNS parameters). */
export const TYPE = { A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, TXT: 16, AAAA: 28, SRV: 33, OPT: 41, ANY: 255 } as const;

/** Answers to a query by number (RFC 1035, 4.1.1; RFC 6891 for the last). */
export const RCODE = {
  noError: 0,
  formatError: 1,
  serverFailure: 2,
  nameError: 3,
  notImplemented: 4,
  refused: 5,
  badVersion: 16,
} as const;

/** The Internet; the only class that is served. */
export const CLASS_IN = 1;

/** What a record says, by its type. Names in the form of names.ts. */
export type RecordData =
  | { readonly type: typeof TYPE.A | typeof TYPE.AAAA; readonly address: Uint8Array }
  | { readonly type: typeof TYPE.NS | typeof TYPE.CNAME | typeof TYPE.PTR; readonly target: string }
  | {
      readonly type: typeof TYPE.SRV;
      readonly priority: number;
      readonly weight: number;
      readonly port: number;
      readonly target: string;
    }
  | { readonly type: typeof TYPE.TXT; readonly texts: readonly string[] }
  | {
      readonly type: typeof TYPE.SOA;
      readonly primary: string;
      readonly mailbox: string;
      readonly serial: number;
      /** Seconds. */
      readonly refresh: number;
      readonly retry: number;
      readonly expire: number;
      readonly minimum: number;
    };

/** One resource record; `ttl` in seconds. */
export type ResourceRecord = RecordData & { readonly name: string; readonly ttl: number };

/** What is known about a name and type: for a name of ours, or what another server said. */
export interface Finding {
  readonly rcode: number;
  readonly answers: readonly ResourceRecord[];
  /** The zone's SOA, with answers that say no (RFC 2308). */
  readonly authorities: readonly ResourceRecord[];
  readonly additionals: readonly ResourceRecord[];
}

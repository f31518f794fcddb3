/** Types of records by number (IANA, DNS parameters). */
export const TYPE = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  OPT: 41,
  ANY: 255,
} as const;

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

/** In place of a type that we have no words for; no record has it. */
export const OTHER = 0;

/** What another server says: of what we have no words for, the type's number and its bytes, names in them written out. */
export type ForeignData =
  | RecordData
  | { readonly type: typeof OTHER; readonly code: number; readonly data: Uint8Array };

interface Owned {
  readonly name: string;
  /** Seconds. */
  readonly ttl: number;
}

/** One resource record. */
export type ResourceRecord = RecordData & Owned;

/** One that may be another server's. */
export type ForeignRecord = ForeignData & Owned;

/** What is known about a name and type: for a name of ours, or what another server said. */
export interface Finding {
  readonly rcode: number;
  readonly answers: readonly ResourceRecord[];
  /** The zone's SOA, with answers that say no (RFC 2308). */
  readonly authorities: readonly ResourceRecord[];
  readonly additionals: readonly ResourceRecord[];
}

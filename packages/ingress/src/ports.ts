import type { Duplex } from '@binnacle/base';

/** One endpoint of a Service, and whose pod it is where it is one. */
export interface Place {
  readonly address: string;
  readonly port: number;
  readonly nodeName: string;
  readonly pod?: { readonly namespace: string; readonly name: string };
}

/** How an endpoint wants to be spoken to, by the Service port's `appProtocol`; `h2c`: HTTP/2 without TLS. */
export type BackendProtocol = 'http' | 'https' | 'h2c';

/** Where a request goes: to one of these places, the first one first; or nowhere, with the status that says so. */
export type RouteAnswer =
  | { readonly kind: 'places'; readonly places: readonly Place[]; readonly protocol: BackendProtocol }
  | { readonly kind: 'nowhere'; readonly status: 400 | 404 | 503; readonly message: string };

/** A certificate and its key as Secrets carry them (base64 of PEM). */
export interface CertificatePair {
  /** Changes when either does. */
  readonly id: string;
  readonly certificate: string;
  readonly key: string;
}

/** What listeners ask for each request and each handshake; never waits. */
export interface Traffic {
  /** `host`: in lower case, without a port; `path`: as it is passed on. */
  route(host: string, path: string): RouteAnswer;
  /** The certificate of a server name; undefined: the one for everybody. */
  certificateFor(serverName: string): CertificatePair | undefined;
}

/** The two doors of a node: plain and TLS. */
export type DoorKind = 'http' | 'https';

/** A door that stands open, or why it does not. */
export type DoorAnswer = { readonly port: number } | { readonly refused: string };

/** Listeners on the node's ports. They ask `Traffic` of whoever made them. */
export interface Doors {
  /** The port that a door would have; 0: any. */
  readonly ports: { readonly [kind in DoorKind]: number };
  /** Opens the door, or says that it is open. */
  open(kind: DoorKind): Promise<DoorAnswer>;
  /** Takes no more requests; those under way are given a little time. */
  close(): Promise<void>;
  /** Why a pair cannot be served; undefined: it can. */
  refusalOf(pair: CertificatePair): string | undefined;
}

/** A way to a place that no address leads to (pods of simulated nodes); undefined: its address does. */
export type ConnectPlace = (place: Place) => (() => Promise<Duplex>) | undefined;

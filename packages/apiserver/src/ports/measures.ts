/** Keeps score of one admission plugin, or of whole passes. */
export interface AdmissionMeter {
  took(operation: string, rejected: boolean, seconds: number): void;
  /** The same for one operation that was not rejected, to be kept at hand; undefined: nobody counts. It is shown from then on. */
  passing(operation: string): { observe(seconds: number): void } | undefined;
}

/** Keeps score of the store's calls for one resource. */
export interface StoreMeter {
  took(operation: 'create' | 'update' | 'delete' | 'get', failed: boolean, seconds: number): void;
}

/** Who keeps score of how long parts of the server take. Meters are asked for once, and used for each call. */
export interface Measures {
  /** Seconds since some moment; only differences mean something. */
  now(): number;
  /** `plugin` absent: of the whole pass. */
  admissionMeter(type: 'admit' | 'validate', plugin?: string): AdmissionMeter;
  storeMeter(group: string, resource: string): StoreMeter;
}

/** Who understands a stream over a WebSocket: the kubelet, or this server, which speaks to it over SPDY. */
export type StreamWay = 'proxied_to_kubelet' | 'translated_at_apiserver';

/** Who keeps score of streams of pods. */
export interface StreamMeasures {
  /** One is asked for over a WebSocket: `exec`, `attach` or `portforward`. */
  webSocket(subresource: string, way: StreamWay): void;
  /** A command that was translated is over: 200 where it ran, however it ended. Or its handshake was none. */
  translated(code: number): void;
  /** SPDY in the messages of a WebSocket was asked for: 101, or how it was refused. */
  tunneled(code: number): void;
}

/** Who keeps score of which API servers behind this one are there. */
export interface AvailabilityMeasures {
  /** An APIService was looked at. */
  found(name: string, condition: { readonly status?: string; readonly reason?: string }): void;
  /** It is not asked for any more. */
  gone(name: string): void;
}

/** What is counted of policies, webhooks and standards; each with its labels, in the order of `AdmissionFigures`. */
export type CountedFigure =
  | 'webhookRequests'
  | 'webhookRejections'
  | 'webhooksFailedOpen'
  | 'conditionErrors'
  | 'conditionExclusions'
  | 'validatingChecks'
  | 'mutatingChecks'
  | 'podSecurityEvaluations'
  | 'podSecurityErrors'
  | 'podSecurityExemptions';

/** What is timed of them, likewise. */
export type TimedFigure =
  | 'webhookSeconds'
  | 'conditionSeconds'
  | 'validatingSeconds'
  | 'mutatingSeconds'
  | 'compilationSeconds'
  | 'evaluationSeconds';

/** Who keeps score of what policies, webhooks and standards do. Nothing of it is on the way of requests that meet none. */
export interface AdmissionMeasures extends Pick<Measures, 'now'> {
  count(figure: CountedFigure, labels: readonly string[]): void;
  took(figure: TimedFigure, labels: readonly string[], seconds: number): void;
}

/** Nobody keeps score. */
export const UNMEASURED: AdmissionMeasures = { now: () => 0, count() {}, took() {} };

/** How a token of an account was used; `legacy` ones are kept in Secrets, made by somebody or by the account's controller. */
export type TokenUse = 'valid' | 'stale' | 'legacyManual' | 'legacyAuto' | 'invalidLegacyAuto';

/** Who keeps score of tokens. */
export interface TokenMeasures {
  used(use: TokenUse): void;
}

/** `static`: asked for by name. */
export type AllocationScope = 'static' | 'dynamic';

/** What is given out, and what is left. */
export interface AllocationStanding {
  readonly ranges: readonly { readonly cidr: string; readonly allocated: number; readonly available: number }[];
  readonly ports: { readonly allocated: number; readonly available: number };
}

/** Who keeps score of addresses and ports of Services. */
export interface AllocationMeasures extends Pick<Measures, 'now'> {
  address(cidr: string, scope: AllocationScope, seconds: number): void;
  noAddress(cidr: string, scope: AllocationScope): void;
  ports(scope: AllocationScope, count: number): void;
  noPort(scope: AllocationScope): void;
  /** Whom to ask how things stand, when somebody wants to know. */
  follow(standing: () => AllocationStanding): void;
}

/** Nobody keeps score. */
export const UNCOUNTED: AllocationMeasures & TokenMeasures = {
  now: () => 0,
  ...{ used() {}, address() {}, noAddress() {}, ports() {}, noPort() {}, follow() {} },
};

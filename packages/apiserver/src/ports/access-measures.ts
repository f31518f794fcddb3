/** How an authorizer decided, where it did. */
export type TerminalDecision = 'allowed' | 'denied';

/** How one question to a webhook ended: with an answer that can be read, too late, or otherwise. */
export type WebhookResult = 'success' | 'timeout' | 'error';

/** Keeps score of one authorizer of the chain. */
export interface AuthorizerMeter {
  decided(decision: TerminalDecision): void;
}

/** Keeps score of one webhook that is asked who may. */
export interface AuthorizationWebhookMeter {
  /** One question over the wire, tries that are made again among them. */
  asked(result: WebhookResult, seconds: number): void;
  /** Nothing came of all tries, and the next authorizer was asked. */
  failedOpen(result: Exclude<WebhookResult, 'success'>): void;
}

/** Keeps score of one issuer of JWTs. */
export interface IssuerMeter {
  /** One of its tokens was looked at: not one that is remembered. */
  ended(result: 'success' | 'failure', seconds: number): void;
}

/** Who keeps score of those who find out who calls and what they may. Meters are asked for once, and used for each call. */
export interface AccessMeasures {
  /** A caller showed a client certificate that holds for so long; less than zero: it did. */
  certificateLeft(seconds: number): void;
  /** `type` and `name` as they stand in the configuration. */
  authorizerMeter(type: string, name: string): AuthorizerMeter;
  webhookMeter(name: string): AuthorizationWebhookMeter;
  /** `url` as it stands in the configuration; it is shown as its hash. */
  issuerMeter(url: string): IssuerMeter;
}

const NOTHING = (): void => {};

/** Nobody keeps score. */
export const UNOBSERVED: AccessMeasures = {
  certificateLeft: NOTHING,
  authorizerMeter: () => ({ decided: NOTHING }),
  webhookMeter: () => ({ asked: NOTHING, failedOpen: NOTHING }),
  issuerMeter: () => ({ ended: NOTHING }),
};

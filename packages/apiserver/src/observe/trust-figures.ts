/**
 * What callers show and who decides about them, in upstream's names (k8s.io/apiserver, authentication/request/x509,
 * authorization/metrics, authorizer/webhook, token/oidc).
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type {
  AccessMeasures,
  AuthorizationWebhookMeter,
  AuthorizerMeter,
  IssuerMeter,
} from '../ports/access-measures.ts';
import { CounterFamily, HistogramFamily } from './series.ts';
import type { Counter, Figures, Histogram } from './series.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** From one that is over to one that holds for a year of 360 days. */
const LEFT_SECONDS = [
  ...[0, HOUR / 2, HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR],
  ...[DAY, 2 * DAY, 4 * DAY, 7 * DAY, 30 * DAY, 90 * DAY, 180 * DAY, 360 * DAY],
];
/** Prometheus' own. */
const WEBHOOK_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const TOKEN_SECONDS = [0.001, ...WEBHOOK_SECONDS];
const encoder = new TextEncoder();

/** Keeps score of certificates, authorizers, webhooks and issuers, and shows it. */
export class TrustFigures implements AccessMeasures, Figures {
  readonly #left = new HistogramFamily(
    {
      name: 'apiserver_client_certificate_expiration_seconds',
      help: 'How long the client certificates still hold that callers showed.',
      labels: [],
    },
    LEFT_SECONDS,
  );
  readonly #everybodys = this.#left.series([]);
  readonly #decisions = new CounterFamily({
    name: 'apiserver_authorization_decisions_total',
    help: 'Decisions of each authorizer that were the last word.',
    labels: ['type', 'name', 'decision'],
  });
  readonly #asked = new CounterFamily({
    name: 'apiserver_authorization_webhook_evaluations_total',
    help: 'Questions to webhooks of authorization.',
    labels: ['name', 'result'],
  });
  readonly #askedSeconds = new HistogramFamily(
    {
      name: 'apiserver_authorization_webhook_duration_seconds',
      help: 'How long they took to answer.',
      labels: ['name', 'result'],
    },
    WEBHOOK_SECONDS,
  );
  readonly #failedOpen = new CounterFamily({
    name: 'apiserver_authorization_webhook_evaluations_fail_open_total',
    help: 'Times that the next authorizer was asked because a webhook did not answer.',
    labels: ['name', 'result'],
  });
  readonly #tokens = new HistogramFamily(
    {
      name: 'apiserver_authentication_jwt_authenticator_latency_seconds',
      help: 'How long looking at tokens of issuers took that were not remembered.',
      labels: ['result', 'jwt_issuer_hash'],
    },
    TOKEN_SECONDS,
  );

  certificateLeft(seconds: number): void {
    this.#everybodys?.observe(seconds);
  }

  authorizerMeter(type: string, name: string): AuthorizerMeter {
    const series = new Map<string, Counter | undefined>();
    return {
      decided: (decision) => {
        let counter = series.get(decision);
        // Shown from the first one on, as upstream does.
        if (counter === undefined) series.set(decision, (counter = this.#decisions.series([type, name, decision])));
        if (counter !== undefined) counter.count++;
      },
    };
  }

  webhookMeter(name: string): AuthorizationWebhookMeter {
    return {
      asked: (result, seconds) => {
        this.#asked.add([name, result]);
        this.#askedSeconds.observe([name, result], seconds);
      },
      failedOpen: (result) => this.#failedOpen.add([name, result]),
    };
  }

  issuerMeter(url: string): IssuerMeter {
    const hash = `sha256:${bytesToHex(sha256(encoder.encode(url)))}`;
    const series = new Map<string, Histogram | undefined>();
    return {
      ended: (result, seconds) => {
        let seen = series.get(result);
        if (seen === undefined) series.set(result, (seen = this.#tokens.series([result, hash])));
        seen?.observe(seconds);
      },
    };
  }

  render(out: string[]): void {
    for (const family of [this.#left, this.#decisions, this.#asked, this.#askedSeconds]) family.render(out);
    this.#failedOpen.render(out);
    this.#tokens.render(out);
  }
}

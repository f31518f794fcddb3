/** Who was known and who was let do what, and how long that took to find out, in upstream's names. */
import { CounterFamily, HistogramFamily } from './series.ts';
import type { Counter, Histogram } from './series.ts';

/** From a millisecond, doubled each time. */
const SECONDS = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);
/** Names that upstream tells apart from all others, so that users do not fill the memory. */
const KNOWN_USERS: ReadonlySet<string> = new Set([
  ...['admin', 'client', 'kube_proxy', 'kubelet', 'system:apiserver', 'system:kube-controller-manager'],
  ...['system:kube-scheduler', 'system:anonymous', 'system:kube-proxy'],
]);
/** Upstream's, of what every request goes through. */
const FILTER_SECONDS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30];
const RESULT = ['result'];

/** `failure`: nobody vouches for the caller; `error`: what the caller shows is not good. */
export type AuthenticationResult = 'success' | 'failure' | 'error';
export type AuthorizationResult = 'allowed' | 'denied' | 'no-opinion' | 'error';

/** Counted and timed by how it ended. */
class Results<R extends string> {
  readonly #attempts: CounterFamily;
  readonly #seconds: HistogramFamily;
  readonly #series = new Map<R, { readonly count: Counter | undefined; readonly seconds: Histogram | undefined }>();

  constructor(attempts: CounterFamily, seconds: HistogramFamily) {
    this.#attempts = attempts;
    this.#seconds = seconds;
  }

  ended(result: R, seconds: number): void {
    let series = this.#series.get(result);
    if (series === undefined) {
      series = { count: this.#attempts.series([result]), seconds: this.#seconds.series([result]) };
      this.#series.set(result, series);
    }
    if (series.count !== undefined) series.count.count++;
    series.seconds?.observe(seconds);
  }

  render(out: string[]): void {
    this.#attempts.render(out);
    this.#seconds.render(out);
  }
}

export class AccessFigures {
  readonly #authentication = new Results<AuthenticationResult>(
    new CounterFamily({
      name: 'authentication_attempts',
      help: 'Whether callers were who they said.',
      labels: RESULT,
    }),
    new HistogramFamily(
      { name: 'authentication_duration_seconds', help: 'How long that took to find out.', labels: RESULT },
      SECONDS,
    ),
  );
  readonly #authorization = new Results<AuthorizationResult>(
    new CounterFamily({
      name: 'authorization_attempts_total',
      help: 'Whether callers might do what they asked for.',
      labels: RESULT,
    }),
    new HistogramFamily(
      { name: 'authorization_duration_seconds', help: 'How long that took to find out.', labels: RESULT },
      SECONDS,
    ),
  );
  readonly #users = new CounterFamily({
    name: 'authenticated_user_requests',
    help: 'Requests by users that the system knows.',
    labels: ['username'],
  });
  readonly #filters = new HistogramFamily(
    {
      name: 'apiserver_request_filter_duration_seconds',
      help: 'How long what every request goes through took: of upstream’s filters these two.',
      labels: ['filter'],
    },
    FILTER_SECONDS,
  );
  readonly #authenticating = this.#filters.series(['authentication']);
  readonly #authorizing = this.#filters.series(['authorization']);
  #otherUsers: Counter | undefined;

  authenticated(username: string, seconds: number): void {
    this.#authenticating?.observe(seconds);
    this.#authentication.ended('success', seconds);
    if (KNOWN_USERS.has(username)) return this.#users.add([username]);
    this.#otherUsers ??= this.#users.series(['other']);
    if (this.#otherUsers !== undefined) this.#otherUsers.count++;
  }

  unauthenticated(result: 'failure' | 'error', seconds: number): void {
    this.#authenticating?.observe(seconds);
    this.#authentication.ended(result, seconds);
  }

  authorized(result: AuthorizationResult, seconds: number): void {
    this.#authorizing?.observe(seconds);
    this.#authorization.ended(result, seconds);
  }

  render(out: string[]): void {
    this.#authentication.render(out);
    this.#users.render(out);
    this.#authorization.render(out);
    this.#filters.render(out);
  }
}

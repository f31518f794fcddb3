/** What policies, webhooks and standards do, in upstream's names and labels (k8s.io/apiserver, pod-security-admission). */
import type { AdmissionMeasures, CountedFigure, Measures, TimedFigure } from '../ports/measures.ts';
import { CounterFamily, HistogramFamily } from './series.ts';

const WEBHOOK_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
const CONDITION_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];
const CHECK_SECONDS = [0.0000005, 0.001, 0.01, 0.1, 1];
const EXPRESSION_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type Row = readonly [name: string, help: string, labels: readonly string[]];

const HOOK = ['name', 'type', 'operation'];
const CONDITION = ['name', 'kind', 'type', 'operation'];
const POD = ['request_operation', 'resource', 'subresource'];

const COUNTED: { readonly [figure in CountedFigure]: Row } = {
  webhookRequests: [
    'apiserver_admission_webhook_request_total',
    'Webhooks asked, by what came of it.',
    [...HOOK, 'code', 'rejected'],
  ],
  webhookRejections: [
    'apiserver_admission_webhook_rejection_count',
    'Requests that webhooks, or their failures, refused.',
    [...HOOK, 'error_type', 'rejection_code'],
  ],
  webhooksFailedOpen: [
    'apiserver_admission_webhook_fail_open_count',
    'Webhooks that could not be asked, and were let be.',
    ['name', 'type'],
  ],
  conditionErrors: [
    'apiserver_admission_match_condition_evaluation_errors_total',
    'Match conditions that could not be evaluated.',
    CONDITION,
  ],
  conditionExclusions: [
    'apiserver_admission_match_condition_exclusions_total',
    'Requests that match conditions kept away.',
    CONDITION,
  ],
  validatingChecks: [
    'apiserver_validating_admission_policy_check_total',
    'Validations that did not hold, by what was done about it.',
    ['policy', 'policy_binding', 'error_type', 'enforcement_action'],
  ],
  mutatingChecks: [
    'apiserver_mutating_admission_policy_check_total',
    'Mutations by policies.',
    ['policy', 'policy_binding', 'error_type'],
  ],
  podSecurityEvaluations: [
    'pod_security_evaluations_total',
    'Pods and templates held to a standard.',
    ['decision', 'policy_level', 'policy_version', 'mode', ...POD],
  ],
  podSecurityErrors: ['pod_security_errors_total', 'Failures to hold pods to a standard.', ['fatal', ...POD]],
  podSecurityExemptions: ['pod_security_exemptions_total', 'Requests that are exempt from standards.', POD],
};

const TIMED: { readonly [figure in TimedFigure]: readonly [...Row, bounds: readonly number[]] } = {
  webhookSeconds: [
    'apiserver_admission_webhook_admission_duration_seconds',
    'How long webhooks took.',
    [...HOOK, 'rejected'],
    WEBHOOK_SECONDS,
  ],
  conditionSeconds: [
    'apiserver_admission_match_condition_evaluation_seconds',
    'How long match conditions took.',
    CONDITION,
    CONDITION_SECONDS,
  ],
  validatingSeconds: [
    'apiserver_validating_admission_policy_check_duration_seconds',
    'How long validations by policies took that did not hold.',
    ['policy', 'policy_binding', 'error_type', 'enforcement_action'],
    CHECK_SECONDS,
  ],
  mutatingSeconds: [
    'apiserver_mutating_admission_policy_check_duration_seconds',
    'How long mutations by policies took.',
    ['policy', 'policy_binding', 'error_type'],
    CHECK_SECONDS,
  ],
  compilationSeconds: [
    'apiserver_cel_compilation_duration_seconds',
    'How long expressions took to compile.',
    [],
    EXPRESSION_SECONDS,
  ],
  evaluationSeconds: [
    'apiserver_cel_evaluation_duration_seconds',
    'How long expressions took to run.',
    [],
    EXPRESSION_SECONDS,
  ],
};

export class AdmissionFigures implements AdmissionMeasures {
  readonly #now: Measures['now'];
  readonly #counted: ReadonlyMap<string, CounterFamily>;
  readonly #timed: ReadonlyMap<string, HistogramFamily>;

  constructor(now: Measures['now']) {
    this.#now = now;
    this.#counted = new Map(
      Object.entries(COUNTED).map(([figure, [name, help, labels]]) => [
        figure,
        new CounterFamily({ name, help, labels }),
      ]),
    );
    this.#timed = new Map(
      Object.entries(TIMED).map(([figure, [name, help, labels, bounds]]) => [
        figure,
        new HistogramFamily({ name, help, labels }, bounds),
      ]),
    );
  }

  now(): number {
    return this.#now();
  }

  count(figure: CountedFigure, labels: readonly string[]): void {
    this.#counted.get(figure)?.add(labels);
  }

  took(figure: TimedFigure, labels: readonly string[], seconds: number): void {
    this.#timed.get(figure)?.observe(labels, seconds);
  }

  render(out: string[]): void {
    for (const family of [...this.#counted.values(), ...this.#timed.values()]) family.render(out);
  }
}

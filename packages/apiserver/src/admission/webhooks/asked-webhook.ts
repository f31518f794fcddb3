/** Keeps score of one question to a webhook, under upstream's labels. */
import type { AdmissionMeasures } from '../../ports/measures.ts';
import { WebhookCallError, WebhookRefusal } from './webhook-errors.ts';
import type { AnyWebhook } from './webhook-match.ts';

/** Larger codes would fill the memory. */
const CODE_MAX = 600;
/** What upstream takes a webhook for that could not be asked. */
const CALL_FAILED = 400;

/** What upstream calls the two sorts. */
export function typeOf(hook: AnyWebhook): 'admit' | 'validating' {
  return 'reinvocationPolicy' in hook ? 'admit' : 'validating';
}

interface Question {
  readonly name: string;
  readonly type: string;
  readonly operation: string;
}

export class AskedWebhook {
  readonly #measures: AdmissionMeasures;
  readonly #labels: readonly string[];
  readonly #question: Question;
  readonly #since: number;

  constructor(measures: AdmissionMeasures, question: Question) {
    this.#measures = measures;
    this.#question = question;
    this.#labels = [question.name, question.type, question.operation];
    this.#since = measures.now();
  }

  /** It let the request through. */
  answered(): void {
    this.#ended(200, false);
  }

  /** `isOpen`: one that cannot be asked is let be. */
  failed(error: unknown, isOpen: boolean): void {
    const { name, type } = this.#question;
    if (error instanceof WebhookCallError) {
      if (isOpen) this.#measures.count('webhooksFailedOpen', [name, type]);
      else this.#rejected('calling_webhook_error', CALL_FAILED);
      return this.#ended(CALL_FAILED, !isOpen);
    }
    const code = error instanceof WebhookRefusal ? error.status.code : undefined;
    this.#rejected(code === undefined ? 'apiserver_internal_error' : 'no_error', code ?? 0);
    return this.#ended(code ?? 0, true);
  }

  #rejected(sort: string, code: number): void {
    this.#measures.count('webhookRejections', [...this.#labels, sort, shown(code)]);
  }

  #ended(code: number, rejected: boolean): void {
    const measures = this.#measures;
    measures.count('webhookRequests', [...this.#labels, shown(code), String(rejected)]);
    measures.took('webhookSeconds', [...this.#labels, String(rejected)], measures.now() - this.#since);
  }
}

function shown(code: number): string {
  return String(Math.min(code, CODE_MAX));
}

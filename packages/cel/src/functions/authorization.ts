/** What somebody may do, asked while an expression runs. */
import { names } from '@binnacle/machinery';
import { fixed, SELECTOR } from '../cost/rules.ts';
import { EvaluationError } from '../errors.ts';
import { LibraryValue } from '../values.ts';
import type { Value } from '../values.ts';
import { overload } from './overload.ts';
import type { Overload } from './overload.ts';

const PACKAGE = 'kubernetes.authorization';
const AUTHORIZER = `${PACKAGE}.Authorizer`;
const PATH_CHECK = `${PACKAGE}.PathCheck`;
const GROUP_CHECK = `${PACKAGE}.GroupCheck`;
const RESOURCE_CHECK = `${PACKAGE}.ResourceCheck`;
const DECISION = `${PACKAGE}.Decision`;
/** Two checks are as much as one expression may make. */
const CHECK = fixed(350_000);

/** What is asked: about a path, or about a resource. */
export interface AuthorizationQuestion {
  readonly verb: string;
  /** Instead of the caller's. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** Whether it may, and why; `error` where nobody could say. */
export interface AuthorizationAnswer {
  readonly isAllowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** Answers at once, or throws what whoever runs the expression waits for before running it again. */
export type AskAuthorizer = (question: AuthorizationQuestion) => AuthorizationAnswer;

type Asked = Omit<AuthorizationQuestion, 'verb'>;

/** `authorizer`, and what is made of it on the way to a question. */
export class AuthorizationValue extends LibraryValue {
  override readonly typeName: string;
  readonly asked: Asked;
  readonly ask: AskAuthorizer;

  constructor(ask: AskAuthorizer, asked: Asked = {}, typeName = AUTHORIZER) {
    super();
    this.ask = ask;
    this.asked = asked;
    this.typeName = typeName;
  }

  override isEqualTo(other: LibraryValue): boolean {
    return other === this;
  }
}

/** `authorizer.requestResource`: the check of what the request itself is about. */
export function requestResource(ask: AskAuthorizer, asked: Asked): AuthorizationValue {
  return new AuthorizationValue(ask, asked, RESOURCE_CHECK);
}

/** The type of `authorizer`. */
export const AUTHORIZER_TYPE: string = AUTHORIZER;
/** The type of `authorizer.requestResource`. */
export const RESOURCE_CHECK_TYPE: string = RESOURCE_CHECK;

class DecisionValue extends LibraryValue {
  override readonly typeName = DECISION;
  readonly answer: AuthorizationAnswer;

  constructor(answer: AuthorizationAnswer) {
    super();
    this.answer = answer;
  }

  override isEqualTo(other: LibraryValue): boolean {
    return other === this;
  }
}

type Step = (asked: Asked, text: string) => Asked;

/** One more word of a question. */
function step(type: string, name: string, to: { type: string; step: Step }): Overload {
  const cost = name.endsWith('Selector') ? SELECTOR : undefined;
  return overload(
    `[${type}].${name}(string): ${to.type}`,
    ([value, text]) => {
      const { ask, asked } = value as AuthorizationValue;
      return new AuthorizationValue(ask, to.step(asked, text as string), to.type);
    },
    cost,
  );
}

function notEmpty(what: string, text: string): string {
  if (text === '') throw new EvaluationError(`${what} must not be empty`);
  return text;
}

function check(value: Value | undefined, verb: Value | undefined): DecisionValue {
  const { ask, asked } = value as AuthorizationValue;
  return new DecisionValue(ask({ ...asked, verb: verb as string }));
}

function asServiceAccount([value, namespace, name]: readonly Value[]): AuthorizationValue {
  const { ask, asked } = value as AuthorizationValue;
  if (names.subdomainErrors(name as string).length > 0) throw new EvaluationError('Invalid service account name');
  if (names.dnsLabelErrors(namespace as string).length > 0) {
    throw new EvaluationError('Invalid service account namespace');
  }
  return new AuthorizationValue(ask, {
    ...asked,
    serviceAccount: { namespace: namespace as string, name: name as string },
  });
}

const answer = (value: Value | undefined): AuthorizationAnswer => (value as DecisionValue).answer;

const REFINED = ['subresource', 'namespace', 'name', 'fieldSelector', 'labelSelector'] as const;

export const AUTHORIZATION: readonly Overload[] = [
  step(AUTHORIZER, 'path', { type: PATH_CHECK, step: (asked, text) => ({ ...asked, path: notEmpty('path', text) }) }),
  step(AUTHORIZER, 'group', { type: GROUP_CHECK, step: (asked, group) => ({ ...asked, group }) }),
  overload(`[${AUTHORIZER}].serviceAccount(string, string): ${AUTHORIZER}`, asServiceAccount),
  step(GROUP_CHECK, 'resource', {
    type: RESOURCE_CHECK,
    step: (asked, text) => ({ ...asked, resource: notEmpty('resource', text) }),
  }),
  ...REFINED.map((name) =>
    step(RESOURCE_CHECK, name, { type: RESOURCE_CHECK, step: (asked, text) => ({ ...asked, [name]: text }) }),
  ),
  overload(`[${PATH_CHECK}].check(string): ${DECISION}`, ([value, verb]) => check(value, verb), CHECK),
  overload(`[${RESOURCE_CHECK}].check(string): ${DECISION}`, ([value, verb]) => check(value, verb), CHECK),
  overload(`[${DECISION}].allowed(): bool`, ([value]) => answer(value).isAllowed),
  overload(`[${DECISION}].reason(): string`, ([value]) => answer(value).reason),
  overload(`[${DECISION}].errored(): bool`, ([value]) => answer(value).error !== undefined),
  overload(`[${DECISION}].error(): string`, ([value]) => answer(value).error ?? ''),
];

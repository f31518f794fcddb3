/** Which of the names that a definition of a custom kind asks for are its own: the first who has one keeps it. */
import { getCondition } from '@binnacle/api';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
} from '@binnacle/api/apiextensions/v1';

export interface NameDecision {
  readonly acceptedNames: CustomResourceDefinitionNames;
  /** NamesAccepted and Established, without times. */
  readonly conditions: readonly CustomResourceDefinitionCondition[];
  /** All names are accepted, now or once before: the kind is served under those that are. */
  readonly isEstablished: boolean;
}

const NO_NAMES: CustomResourceDefinitionNames = { plural: '', kind: '' };
const ACCEPTED: CustomResourceDefinitionCondition = {
  type: 'NamesAccepted',
  status: 'True',
  reason: 'NoConflicts',
  message: 'no conflicts found',
};
const ESTABLISHED: CustomResourceDefinitionCondition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};
const NOT_ESTABLISHED: CustomResourceDefinitionCondition = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};

/** Pure: `others` are all definitions of the same group but this one, with what they have accepted so far. */
export function decideNames(
  definition: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
): NameDecision {
  const wanted = definition.spec.names;
  const mine = definition.status?.acceptedNames ?? NO_NAMES;
  const taken = takenNames([...others.map(({ status }) => status?.acceptedNames ?? NO_NAMES), mine]);
  const accepted: { -readonly [K in keyof CustomResourceDefinitionNames]: CustomResourceDefinitionNames[K] } = {
    ...mine,
  };
  let conflict: CustomResourceDefinitionCondition | undefined;
  const refuse = (field: string, message: string): void => {
    conflict = { type: 'NamesAccepted', status: 'False', reason: `${field}Conflict`, message };
  };
  for (const [field, label, used] of [
    ['plural', 'Plural', taken.resources],
    ['singular', 'Singular', taken.resources],
  ] as const) {
    const problem = problemOf(wanted[field] ?? '', mine[field] ?? '', used);
    if (problem === undefined) accepted[field] = wanted[field] ?? '';
    else refuse(label, problem);
  }
  const short = (wanted.shortNames ?? [])
    .filter((name) => !(mine.shortNames ?? []).includes(name))
    .flatMap((name) => problemOf(name, '', taken.resources) ?? []);
  if (short.length === 0) accepted.shortNames = wanted.shortNames ?? [];
  else refuse('ShortNames', aggregate(short));
  for (const [field, label] of [
    ['kind', 'Kind'],
    ['listKind', 'ListKind'],
  ] as const) {
    const problem = problemOf(wanted[field] ?? '', mine[field] ?? '', taken.kinds);
    if (problem === undefined) accepted[field] = wanted[field] ?? '';
    else refuse(label, problem);
  }
  accepted.categories = wanted.categories ?? [];
  return { acceptedNames: tidy(accepted), ...decideConditions(definition, conflict) };
}

function decideConditions(
  { status }: CustomResourceDefinition,
  conflict: CustomResourceDefinitionCondition | undefined,
): Pick<NameDecision, 'conditions' | 'isEstablished'> {
  const old = getCondition(status?.conditions, 'Established');
  const isEstablished = old?.status === 'True' || conflict === undefined;
  const established = old?.status === 'True' ? old : isEstablished ? ESTABLISHED : NOT_ESTABLISHED;
  return { conditions: [conflict ?? ACCEPTED, established], isEstablished };
}

/** As Go's encoder writes them: empty lists are left out. */
function tidy(names: CustomResourceDefinitionNames): CustomResourceDefinitionNames {
  const { shortNames, categories, ...rest } = names;
  return {
    ...rest,
    ...(shortNames === undefined || shortNames.length === 0 ? {} : { shortNames }),
    ...(categories === undefined || categories.length === 0 ? {} : { categories }),
  };
}

function takenNames(all: readonly CustomResourceDefinitionNames[]): { resources: Set<string>; kinds: Set<string> } {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { plural, singular = '', shortNames = [], kind, listKind = '' } of all) {
    for (const name of [plural, singular, ...shortNames]) resources.add(name);
    kinds.add(kind).add(listKind);
  }
  return { resources, kinds };
}

function problemOf(wanted: string, mine: string, taken: ReadonlySet<string>): string | undefined {
  return wanted === mine || !taken.has(wanted) ? undefined : `${JSON.stringify(wanted)} is already in use`;
}

/** Several errors as Go's aggregate writes them. */
function aggregate(messages: readonly string[]): string {
  return messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
}

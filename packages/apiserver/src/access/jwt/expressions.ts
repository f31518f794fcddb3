import {
  BOOL,
  compile,
  CompileError,
  documentValue,
  DYN,
  formatType,
  KUBERNETES_MACROS,
  kubernetesLibrary,
  listOf,
  mapOf,
  STRING,
} from '@binnacle/cel';
import type { Environment, ObjectType, Program, Type, Value } from '@binnacle/cel';
import type { UserInfo } from '@binnacle/machinery';
import { AuthenticationConfigError } from '../errors.ts';

/** Upstream's bound of one expression. */
const COST_MAX = 10_000_000;

const USER_FIELDS = new Map<string, Type>([
  ['username', STRING],
  ['uid', STRING],
  ['groups', listOf(STRING)],
  ['extra', mapOf(STRING, listOf(STRING))],
]);
const USER: ObjectType = { kind: 'object', name: 'kubernetes.UserInfo', field: (name) => USER_FIELDS.get(name) };

const library = kubernetesLibrary();

function environment(name: 'claims' | 'user', type: Type): Environment {
  return {
    functions: library,
    macros: KUBERNETES_MACROS,
    variables: new Map([[name, type]]),
    objects: { get: () => undefined },
    isHomogeneous: true,
  };
}

/** An expression over the claims of a token, or over the user that was made of them. */
export interface ClaimsExpression {
  readonly source: string;
  /** Throws EvaluationError or CostError. */
  run(value: object): Value | undefined;
}

/** Compiles an expression over `claims`. `wants`: what it may answer with. Throws AuthenticationConfigError. */
export function compileClaims(source: string, wants: 'texts' | 'bool' | 'text', path: string): ClaimsExpression {
  return compiled(source, { name: 'claims', type: mapOf(STRING, DYN), wants, path });
}

/** Compiles a rule over `user`. Throws AuthenticationConfigError. */
export function compileUserRule(source: string, path: string): ClaimsExpression {
  return compiled(source, { name: 'user', type: USER, wants: 'bool', path });
}

/** What an expression sees of a user. */
export function userDocument({ name, uid = '', groups, extra = {} }: UserInfo): object {
  return { username: name, uid, groups, extra };
}

interface Wanted {
  readonly name: 'claims' | 'user';
  readonly type: Type;
  readonly wants: 'texts' | 'bool' | 'text';
  readonly path: string;
}

function compiled(source: string, { name, type, wants, path }: Wanted): ClaimsExpression {
  const program = compiledAt(source, environment(name, type), path);
  const answer = formatType(program.type);
  if (!isWanted(program.type, wants)) {
    const names = wants === 'bool' ? 'bool' : wants === 'text' ? 'string' : 'string or a list of strings';
    throw new AuthenticationConfigError(
      `${path}: Invalid value: ${JSON.stringify(source)}: must evaluate to ${names}, not ${answer}`,
    );
  }
  return {
    source,
    run(value) {
      const outcome = program.run(new Map([[name, documentValue(value)]]), COST_MAX);
      if (outcome.error !== undefined) throw outcome.error;
      return outcome.value;
    },
  };
}

function compiledAt(source: string, environment_: Environment, path: string): Program {
  try {
    return compile(source, environment_);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    throw new AuthenticationConfigError(
      `${path}: Invalid value: ${JSON.stringify(source)}: compilation failed: ${error.message}`,
    );
  }
}

/** What is known only when it runs is let through, and looked at then. */
function isWanted(type: Type, wants: Wanted['wants']): boolean {
  const name = formatType(type);
  if (wants === 'bool') return name === formatType(BOOL);
  if (name === formatType(STRING) || name === formatType(DYN) || name === 'any') return true;
  return wants === 'texts' && (name.startsWith('list') || name.startsWith('null'));
}

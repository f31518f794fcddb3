/** The rules of one place of a schema, compiled; with what they can cost at most. */
import { readRulePath } from '@binnacle/api';
import type { ValidationRule } from '@binnacle/api/apiextensions/v1';
import {
  BOOL,
  compile,
  CompileError,
  isSameType,
  KUBERNETES_MACROS,
  kubernetesLibrary,
  occurrencesMax,
  optionalOf,
  sizeAt,
  STRING,
} from '@binnacle/cel';
import type { Declared, Environment, Library, Program, Type } from '@binnacle/cel';
import type { SchemaProps } from '@binnacle/machinery/structural';

/** A rule as its schema has it, and what came of it. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Undefined: the rule is empty or wrong. */
  readonly program: Program | undefined;
  /** What is wrong with it, in upstream's words. */
  readonly error: string | undefined;
  readonly usesOldSelf: boolean;
  /** The most that one run can cost. */
  readonly cost: number;
  readonly message: Program | undefined;
  readonly messageError: string | undefined;
  readonly messageCost: number;
  /** Where its error is shown, below the place of the rule; empty: there. */
  readonly path: string;
}

/** The rules that a place of a schema has. */
export function rulesOf(props: SchemaProps): readonly ValidationRule[] {
  return (props['x-kubernetes-validations'] ?? []) as readonly ValidationRule[];
}

/** How often data of a place can be in one object where no list or map around it is bounded. */
export { occurrencesMax };

export class RuleCompiler {
  readonly #library: Library = kubernetesLibrary();

  compile(props: SchemaProps, declared: Declared): readonly CompiledRule[] {
    return this.toCompile(props, declared).map((compileOne) => compileOne());
  }

  /** Rule by rule, for who has others wait: each takes as long as its text is. */
  toCompile(props: SchemaProps, declared: Declared): readonly (() => CompiledRule)[] {
    const plain = this.#environment(declared.type, declared.type);
    const optional = this.#environment(declared.type, optionalOf(declared.type));
    return rulesOf(props).map(
      (rule) => () =>
        compileRule(rule, { props, declared, environment: rule.optionalOldSelf === true ? optional : plain }),
    );
  }

  #environment(self: Type, oldSelf: Type): Environment {
    return {
      functions: this.#library,
      macros: KUBERNETES_MACROS,
      variables: new Map([
        ['self', self],
        ['oldSelf', oldSelf],
      ]),
      objects: new Map(),
      isHomogeneous: true,
    };
  }
}

interface Place {
  readonly props: SchemaProps;
  readonly declared: Declared;
  readonly environment: Environment;
}

function compileRule(rule: ValidationRule, { props, declared, environment }: Place): CompiledRule {
  const whole = compileAs(rule.rule, BOOL, {
    environment,
    prefix: '',
    expected: 'cel expression must evaluate to a bool',
  });
  const own = rule.messageExpression ?? '';
  const hasMessage = own !== '' && whole.program !== undefined;
  const message = hasMessage
    ? compileAs(own, STRING, {
        environment,
        prefix: 'messageExpression ',
        expected: 'messageExpression must evaluate to a string',
      })
    : {};
  const costOf = (program: Program | undefined): number => program?.estimate((path) => sizeAt(declared, path)).max ?? 0;
  return {
    rule,
    program: whole.program,
    error: whole.error,
    usesOldSelf: whole.program?.variables.has('oldSelf') ?? false,
    cost: costOf(whole.program),
    message: message.program,
    messageError: message.error,
    messageCost: costOf(message.program),
    path: rule.fieldPath === undefined || rule.fieldPath === '' ? '' : (readRulePath(rule.fieldPath, props) ?? ''),
  };
}

interface Wanted {
  readonly environment: Environment;
  readonly prefix: string;
  readonly expected: string;
}

interface Tried {
  readonly program?: Program;
  readonly error?: string;
}

function compileAs(source: string, type: Type, { environment, prefix, expected }: Wanted): Tried {
  if (source.trim() === '') return {};
  try {
    const program = compile(source, environment);
    return isSameType(program.type, type) ? { program } : { error: expected };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return { error: `${prefix}compilation failed: ${error.message}` };
  }
}

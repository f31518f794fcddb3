/** Expressions of admission, compiled: conditions of webhooks and policies, validations, variables, mutations. */
import type { Environment } from '../check/environment.ts';
import { CompileError } from '../errors.ts';
import { AUTHORIZER_TYPE, RESOURCE_CHECK_TYPE } from '../functions/authorization.ts';
import type { Library } from '../functions/overload.ts';
import { kubernetesLibrary, withPatchFunctions } from '../library.ts';
import { compile } from '../program.ts';
import type { Program } from '../program.ts';
import { KUBERNETES_MACROS } from '../syntax/macros.ts';
import { DYN, formatType, isSameType, plain } from '../types.ts';
import type { ObjectType, Type } from '../types.ts';
import { NAMESPACE_TYPE, PATCH_OBJECTS, REQUEST_TYPE } from './types.ts';

/** An expression, and what came of it. */
export interface CompiledExpression {
  readonly source: string;
  /** Undefined: it cannot be run. */
  readonly program: Program | undefined;
  /** What is wrong with it, in upstream's words. */
  readonly error: string | undefined;
  /** The same without the words before it, where it does not compile. */
  readonly issues?: string;
}

/** What an expression may look at beyond the request and its objects. */
export interface ExpressionScope {
  readonly hasParams?: boolean;
  readonly hasAuthorizer?: boolean;
  /** It may write objects and patches. */
  readonly hasPatches?: boolean;
  /** The types of `variables`, by name; they grow while variables are compiled. */
  readonly variables?: Map<string, Type>;
  /** What `object` and `oldObject` are, where that is known. */
  readonly object?: Type;
  readonly params?: Type;
}

const NO_OBJECTS = { get: () => undefined };

/** Compiles expressions of admission over one library. */
export class ExpressionCompiler {
  readonly #library: Library = kubernetesLibrary();
  readonly #patchLibrary: Library = withPatchFunctions(this.#library);

  /** `types`: what it may answer with; upstream's names of them are in the message. */
  compile(source: string, types: readonly Type[], scope: ExpressionScope): CompiledExpression {
    try {
      const program = compile(source, this.#environment(scope));
      const fits = types.length === 0 || types.some((type) => isSameType(type, program.type));
      return fits
        ? { source, program, error: undefined }
        : { source, program: undefined, error: wrongType(types, program.type) };
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      const { message: issues } = error;
      return { source, program: undefined, error: `compilation failed: ${issues}`, issues };
    }
  }

  /** Compiles a variable, and declares it for those that come after it. */
  compileVariable(name: string, source: string, scope: ExpressionScope): CompiledExpression {
    const compiled = this.compile(source, [], scope);
    scope.variables?.set(name, compiled.program?.type ?? DYN);
    return compiled;
  }

  #environment({
    hasParams,
    hasAuthorizer,
    hasPatches,
    variables,
    object = DYN,
    params = DYN,
  }: ExpressionScope): Environment {
    const all: [string, Type][] = [
      ['object', object],
      ['oldObject', object],
      ['request', REQUEST_TYPE],
      ['namespaceObject', NAMESPACE_TYPE],
    ];
    if (hasParams === true) all.push(['params', params]);
    if (hasAuthorizer === true) {
      all.push(['authorizer', plain(AUTHORIZER_TYPE)], ['authorizer.requestResource', plain(RESOURCE_CHECK_TYPE)]);
    }
    if (variables !== undefined) all.push(['variables', variablesType(variables)]);
    return {
      functions: hasPatches === true ? this.#patchLibrary : this.#library,
      macros: KUBERNETES_MACROS,
      variables: new Map(all),
      objects: hasPatches === true ? PATCH_OBJECTS : NO_OBJECTS,
      isHomogeneous: true,
    };
  }
}

function variablesType(variables: ReadonlyMap<string, Type>): ObjectType {
  return { kind: 'object', name: 'kubernetes.variables', field: (name) => variables.get(name) };
}

function wrongType(types: readonly Type[], type: Type): string {
  const names = types.map((one) => formatType(one).replace(/^null$/, 'null_type'));
  const wanted = names.length === 1 ? names[0] : `one of [${names.join(' ')}]`;
  return `must evaluate to ${wanted} but got ${formatType(type)}`;
}

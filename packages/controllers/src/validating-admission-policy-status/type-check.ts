/** What is wrong with the expressions of a policy, given what the kinds are that it is about. It changes nothing of the policy. */
import { findKind, RESOURCES, schemaName, schemas } from '@binnacle/api';
import type { ExpressionWarning, ValidatingAdmissionPolicy } from '@binnacle/api/admissionregistration/v1';
import type { CustomResourceDefinition } from '@binnacle/api/apiextensions/v1';
import { declare, ExpressionCompiler, structType } from '@binnacle/cel';
import type { ExpressionScope, Type } from '@binnacle/cel';
import { parseGroupVersion } from '@binnacle/machinery';
import type { GroupVersionKind } from '@binnacle/machinery';
import type { SchemaProps } from '@binnacle/machinery/structural';

/** So many kinds of a policy are looked at. */
const KINDS_MAX = 10;

type Definitions = readonly CustomResourceDefinition[];

interface TypedKind {
  readonly kind: GroupVersionKind;
  readonly type: Type;
}

/** The warnings of all validations and their messages, by the field. */
export function checkTypes(policy: ValidatingAdmissionPolicy, definitions: Definitions): readonly ExpressionWarning[] {
  const kinds = kindsOf(policy, definitions);
  const params = paramsType(policy, definitions);
  const check = (fieldRef: string, expression: string): readonly ExpressionWarning[] => {
    const found = kinds.flatMap((kind) => warningOf({ policy, kind, params }, expression) ?? []);
    return found.length === 0 ? [] : [{ fieldRef, warning: found.join('\n') }];
  };
  return (policy.spec.validations ?? []).flatMap(({ expression, messageExpression = '' }, i) => [
    ...check(`spec.validations[${i}].expression`, expression),
    ...(messageExpression === '' ? [] : check(`spec.validations[${i}].messageExpression`, messageExpression)),
  ]);
}

interface Checking {
  readonly policy: ValidatingAdmissionPolicy;
  readonly kind: TypedKind;
  readonly params: Type | undefined;
}

function warningOf({ policy, kind, params }: Checking, expression: string): string | undefined {
  const { paramKind, variables = [] } = policy.spec;
  const compiler = new ExpressionCompiler();
  const scope: ExpressionScope = {
    object: kind.type,
    hasParams: paramKind !== undefined,
    hasAuthorizer: true,
    variables: new Map(),
    ...(params === undefined ? {} : { params }),
  };
  for (const variable of variables) compiler.compileVariable(variable.name, variable.expression, scope);
  const { error, issues = error } = compiler.compile(expression, [], scope);
  if (issues === undefined) return undefined;
  const { group, version, kind: name } = kind.kind;
  return `${group}/${version}, Kind=${name}: ${issues}\n`;
}

/** The kinds that the rules name one by one; stars name none. Sorted, each once. */
function kindsOf({ spec }: ValidatingAdmissionPolicy, definitions: Definitions): readonly TypedKind[] {
  const found = new Map<string, TypedKind>();
  for (const { apiGroups = [], apiVersions = [], resources = [] } of spec.matchConstraints?.resourceRules ?? []) {
    if ([...apiGroups, ...apiVersions].some((one) => one.includes('*'))) continue;
    for (const group of apiGroups.toSorted()) {
      for (const version of apiVersions.toSorted()) {
        for (const resource of resources.filter((one) => !/[*/]/.test(one)).toSorted()) {
          const kind = kindOf({ group, version, resource }, definitions);
          const type = kind === undefined ? undefined : typeOf(kind, definitions);
          if (kind === undefined || type === undefined) continue;
          found.set(`${kind.group}/${kind.version}/${kind.kind}`, { kind, type });
          if (found.size === KINDS_MAX) return sorted(found);
        }
      }
    }
  }
  return sorted(found);
}

function sorted(found: ReadonlyMap<string, TypedKind>): readonly TypedKind[] {
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}

function kindOf(
  asked: { readonly group: string; readonly version: string; readonly resource: string },
  definitions: Definitions,
): GroupVersionKind | undefined {
  const { group, version, resource } = asked;
  const own = RESOURCES.find((info) => info.resource === resource && info.group === group && info.version === version);
  const custom = definitions.find(({ spec }) => spec.group === group && spec.names.plural === resource);
  const kind = own?.kind ?? custom?.spec.names.kind;
  return kind === undefined ? undefined : { group, version, kind };
}

/** Undefined: nobody serves the kind, or an expression cannot see it. */
function typeOf({ group, version, kind }: GroupVersionKind, definitions: Definitions): Type | undefined {
  if (findKind(group, version, kind) !== undefined) {
    return structType((name) => schemas.struct(name), schemaName(group, version, kind), kind);
  }
  const definition = definitions.find(({ spec }) => spec.group === group && spec.names.kind === kind);
  const schema = definition?.spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
  return schema === undefined ? undefined : declare(schema as SchemaProps, kind, true)?.type;
}

function paramsType({ spec }: ValidatingAdmissionPolicy, definitions: Definitions): Type | undefined {
  const { apiVersion = '', kind = '' } = spec.paramKind ?? {};
  return kind === '' ? undefined : typeOf({ ...parseGroupVersion(apiVersion), kind }, definitions);
}

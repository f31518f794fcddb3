export { compile } from './program.ts';
export type { Outcome, Program } from './program.ts';
export { kubernetesLibrary } from './library.ts';
export type { Library } from './functions/overload.ts';
export { BIND_MACRO, KUBERNETES_MACROS, STANDARD_MACROS } from './syntax/macros.ts';
export type { Macros } from './syntax/macros.ts';
export type { Environment } from './check/environment.ts';
export type { SizeOf } from './estimate.ts';
export type { Range } from './cost/range.ts';
export { CompileError, CostError, EvaluationError } from './errors.ts';
export type { Issue } from './errors.ts';
export {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  formatType,
  INT,
  isSameType,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  plain,
  STRING,
  TIMESTAMP,
} from './types.ts';
export type { ObjectType, Type } from './types.ts';
export { quantityValue } from './functions/quantities.ts';
export { versionValue } from './functions/versions.ts';
export { DocumentMap, Duration, MapValue, Optional, StructValue, Timestamp, Uint } from './values.ts';
export type { Value } from './values.ts';
export { readDuration, readTimestamp, writeDuration, writeTimestamp } from './functions/time-text.ts';
export {
  AUTHORIZER_TYPE,
  AuthorizationValue,
  requestResource,
  RESOURCE_CHECK_TYPE,
} from './functions/authorization.ts';
export type { AskAuthorizer, AuthorizationAnswer, AuthorizationQuestion } from './functions/authorization.ts';
export { declare, occurrencesMax, REQUEST_BYTES_MAX, sizeAt, withResourceFields } from './schema/declared.ts';
export type { Declared } from './schema/declared.ts';
export { documentValue, valueBySchema } from './schema/document.ts';
export { toJson } from './schema/json.ts';
export { escapeName } from './schema/escape.ts';
export { ExpressionCompiler } from './admission/compiler.ts';
export type { CompiledExpression, ExpressionScope } from './admission/compiler.ts';
export { structType } from './schema/struct-type.ts';

export type * from './generated/meta-v1.ts';
export { groupVersion, parseGroupVersion, resourceName } from './object.ts';
export type { GroupResource, GroupVersionKind, GroupVersionResource, KubeObject } from './object.ts';
export * as status from './status-error.ts';
export { FieldError, OMITTED_VALUE, StatusError } from './status-error.ts';
export type { FieldErrorType } from './status-error.ts';
export { checkPreconditions } from './preconditions.ts';
export type { FoundObject } from './preconditions.ts';
export type { FieldSchema, SchemaTable, StructSchema, TypeRef } from './schema/table.ts';
export { callEach, tellCall } from './call-each.ts';
export type {
  ApiCall,
  CallOutcome,
  CallSink,
  OpenCall,
  OpenedStream,
  PatchKind,
  RawCall,
  RawReply,
  UserInfo,
  Verb,
  WatchCall,
  WatchEvent,
  WatchEventType,
  WatchHandle,
  WatchSink,
  Wire,
} from './wire.ts';
export { changeVerbosity, FLAGS_PAGE, VERBOSITY_PATH } from './server-pages/verbosity-flag.ts';
export type { FlagAnswer } from './server-pages/verbosity-flag.ts';
export { flagz, statusz } from './server-pages/zpages.ts';
export type { StatuszFacts, ZPage, ZPageRequest } from './server-pages/zpages.ts';
export { parseMediaType } from './media-type.ts';
export type { MediaType } from './media-type.ts';
export { readReplyText, readText, replyFailure } from './raw-text.ts';
export { DecodeError, QuantityError, SelectorError } from './errors.ts';
export { createSchemaRegistry } from './schema/registry.ts';
export { SchemaLayers } from './schema/layers.ts';
export type { SchemaRegistry } from './schema/registry.ts';
export type { Decoded, FieldValidation } from './schema/walker.ts';
export {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  milliQuantityOf,
  parseQuantity,
  quantityMilliValue,
  quantityOf,
  quantityValue,
  subtractQuantities,
} from './quantity.ts';
export type { Quantity, QuantityFormat, QuantityLike } from './quantity.ts';
export { deepCopy } from './deep-copy.ts';
export { deepEqual } from './deep-equal.ts';
export { goDouble, goText } from './go-text.ts';
export { canonicalText } from './schema/structural/canonical.ts';
export { safeInHtml } from './safe-in-html.ts';
export { membersOf, parsedJson } from './parsed-json.ts';
export { exactDigits, Int64, int64Of, readInt64 } from './int64.ts';
export { memberOf, putMember } from './schema/member.ts';
export { percentage, scaledValue } from './int-or-string.ts';
export type { IntOrString } from './int-or-string.ts';
export {
  EVERYTHING,
  formatSelector,
  matchesLabels,
  NOTHING,
  parseLabelSelector,
  requiresExactLabel,
  selectorFromObject,
  selectorFromSet,
  storedSelector,
} from './selector/label-selector.ts';
export type { Selector } from './selector/label-selector.ts';
export type { Requirement, SelectorOperator } from './selector/requirement.ts';
export {
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
  requiresExactMatch,
} from './selector/field-selector.ts';
export type { FieldSelector, FieldTerm } from './selector/field-selector.ts';
export * as names from './validation/names.ts';
export * as field from './validation/field.ts';
export { controllerOf, isControlledBy, isOwnedBy } from './owner-reference.ts';
export { validateExpression, validateLabels, validateLabelSelector, validateOperator } from './validation/labels.ts';
export {
  fitsAnnotations,
  maskTrailingDash,
  validateAnnotations,
  validateImmutable,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './validation/object-meta.ts';
export type { NameCheck, ObjectMetaRules } from './validation/object-meta.ts';
export { applyJsonPatch, patchMistake, unknownMembers } from './patch/json-patch.ts';
export { applyMergePatch } from './patch/merge-patch.ts';
export { applyStrategicPatch } from './patch/strategic-patch.ts';
export type { StrategicInput } from './patch/strategic-patch.ts';
export { parseDocument } from './schema/json-text.ts';
export { createComparison } from './schema/comparison.ts';
export type { Comparison } from './schema/comparison.ts';
export { keptEmpties } from './schema/kept-empties.ts';
export { limitValues, VALUES_MAX } from './schema/value-limit.ts';
export { repeatedMembers } from './schema/repeated-members.ts';
export { duplicateKeysError } from './yaml/duplicate-keys.ts';
export { openProtobuf } from './schema/protobuf.ts';
export type { ProtobufBody } from './schema/protobuf.ts';
export { protobufEnvelope, sealProtobuf } from './schema/protobuf-encoder.ts';
export type { Enveloped } from './schema/protobuf-encoder.ts';
export { ProtoReader } from './schema/proto-reader.ts';
export { bytesOfField, ProtoWriter } from './schema/proto-writer.ts';
export {
  applyConfiguration,
  applyInSteps,
  compareEntries,
  entriesAfterUpdate,
  fieldsUnchanged,
  isReset,
  readOwners,
} from './apply/managed-fields.ts';
export type { Applied, FieldConflict, FieldWriter, OwnershipRules } from './apply/managed-fields.ts';
export { NO_FIELDS, pathsOf, readFieldSet } from './apply/field-set.ts';
export type { FieldSet } from './apply/field-set.ts';
export { layOver, LayOverError } from './apply/lay-over.ts';
export { shapeOfStruct } from './apply/shape.ts';
export type { Shape } from './apply/shape.ts';
export { readMoment, readTime } from './schema/leaves.ts';
export { isKnownFormat } from './schema/structural/formats.ts';

export { createApiServer } from './server.ts';
export type { ApiServer } from './server.ts';
export { LOOPBACK_USER } from './own-calls.ts';
export type { HealthCheck } from './observe/health.ts';
export type { ApiServerOptions } from './options.ts';
export { createPolicy } from './policy.ts';
export type { JoinedPolicy, Policy, PolicyWorld } from './policy.ts';
export type { AccessControl, PolicyOptions, ServerIdentity } from './ports/policy.ts';
export type {
  NodeConnector,
  NodeForward,
  NodeReply,
  NodeRequest,
  NodeUpgrade,
  NodeUpgraded,
  PodPort,
} from './ports/nodes.ts';
export { createSeededTokenKeys } from './access/seeded-token-keys.ts';
export type { Ed25519Crypto } from './access/seeded-token-keys.ts';
export type { LocalTokenKeys, TokenKeys } from './ports/token-keys.ts';
export { Catalogue } from './catalogue/catalogue.ts';
export type { ComputedDefinition, Definition, StoredDefinition, VersionDefinition } from './catalogue/definition.ts';
export type { Restored, Transformer } from './ports/transformer.ts';
export { readEncryptionConfig } from './storage/encryption/config.ts';
export type { EncryptionRule } from './storage/encryption/config.ts';
export { Encryption } from './storage/encryption/encryption.ts';
export { EncryptionConfigError } from './storage/encryption/errors.ts';
export { AdmissionConfigurationError } from './admission/configuration-error.ts';
export { readAdmissionConfiguration } from './admission/admission-file.ts';
export type { PluginDocument } from './admission/admission-file.ts';
export type { AdmissionChoice } from './ports/admission-choice.ts';

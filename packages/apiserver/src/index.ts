export { createApiServer } from './server.ts';
export type { ApiServer } from './server.ts';
export { LOOPBACK_USER } from './own-calls.ts';
export { CertificateFigures } from './observe/certificate-figures.ts';
export type { AskedServers } from './observe/certificate-figures.ts';
export { FigureBook } from './observe/figure-book.ts';
export { ReloadFigures } from './observe/reload-figures.ts';
export type { FollowedConfig, ReloadMeasures } from './ports/reload-measures.ts';
export type { HealthCheck } from './ports/health.ts';
export type { ApiServerOptions } from './options.ts';
export { createPolicy } from './policy.ts';
export type { ChangeablePolicy, JoinedPolicy, Policy, PolicyWorld } from './policy.ts';
export type { AccessChanges, AccessControl, PolicyOptions, ServerIdentity } from './ports/policy.ts';
export type {
  NodeConnector,
  NodeForward,
  NodeReply,
  NodeRequest,
  NodeUpgrade,
  NodeUpgraded,
  PodPort,
} from './ports/nodes.ts';
export { createSecretTokenSigner } from './access/secret-tokens.ts';
export { createSeededTokenKeys } from './access/seeded-token-keys.ts';
export type { Ed25519Crypto } from './access/seeded-token-keys.ts';
export type { LocalTokenKeys, TokenKeys } from './ports/token-keys.ts';
export { Catalogue } from './catalogue/catalogue.ts';
export type { ComputedDefinition, Definition, StoredDefinition, VersionDefinition } from './catalogue/definition.ts';
export type { Restored, Transformer } from './ports/transformer.ts';
export type { KeyService, KeyServiceSettings, SealedKey } from './ports/key-service.ts';
export { AdmissionConfigurationError } from './admission/configuration-error.ts';
export { readImagePolicy } from './admission/image-policy-file.ts';
export type { ImagePolicySettings } from './admission/image-policy-file.ts';
export { idleDocuments } from './admission/plugins.ts';
export { readAdmissionConfiguration } from './admission/admission-file.ts';
export type { PluginDocument } from './admission/admission-file.ts';
export { readAuditPolicy } from './audit/policy.ts';
export type { AuditPolicy } from './audit/policy.ts';
export type { AuditOptions } from './audit/auditor.ts';
export { AuditPolicyError, AuditSinkError } from './audit/errors.ts';
export { BatchSink, LOG_BATCHES, WEBHOOK_BATCHES } from './audit/batch-sink.ts';
export type { BatchOptions, BatchWorld } from './audit/batch-sink.ts';
export { TRUNCATE_DEFAULTS, TruncatingSink } from './audit/truncating-sink.ts';
export type { TruncateOptions } from './audit/truncating-sink.ts';
export { WebhookSink } from './audit/webhook-sink.ts';
export type { AuditEvent, AuditSink, AuditStage } from './ports/audit.ts';
export { readAuthenticationFile } from './access/jwt/authentication-file.ts';
export { readStaticTokens } from './access/static-tokens.ts';
export { checkChangedAuthorizers, readAuthorizationFile } from './access/authorization-file.ts';
export type { AuthorizerOfFile } from './access/authorization-file.ts';
export type { AuthorizerSettings } from './ports/authorization-settings.ts';
export { AuthenticationConfigError } from './access/errors.ts';
export type {
  AnonymousSettings,
  AuthenticationChoice,
  AuthenticationSettings,
  RequestHeaderSettings,
  JwtSettings,
} from './ports/authentication-settings.ts';
export type { JsonEndpoint } from './ports/json-endpoint.ts';
export type { AdmissionChoice } from './ports/admission-choice.ts';

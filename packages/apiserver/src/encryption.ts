/** Encryption at rest. A door of its own: its ciphers make their tables when they are loaded, and most servers rest in the clear. */
export { readEncryptionConfig } from './storage/encryption/config.ts';
export type { EncryptionRule, SealMakers } from './storage/encryption/config.ts';
export { Envelope } from './storage/encryption/envelope.ts';
export { Encryption } from './storage/encryption/encryption.ts';
export { EncryptionFigures } from './observe/encryption-figures.ts';
export type { KeyMeasures, TransformMeasures } from './ports/encryption-measures.ts';
export { EncryptionConfigError } from './storage/encryption/errors.ts';

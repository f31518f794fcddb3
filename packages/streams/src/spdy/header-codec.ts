/**
 * Compresses the header blocks of one connection: one zlib stream for each direction, so that blocks have to be
 * given in the order in which they go over the wire. The adapter is in `node/`.
 */
export interface HeaderCodec {
  compress(block: Uint8Array): Promise<Uint8Array>;
  /** Throws StreamProtocolError for what is no zlib, or becomes longer than any header block should be. */
  decompress(block: Uint8Array): Promise<Uint8Array>;
  close(): void;
}

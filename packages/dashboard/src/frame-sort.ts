/** Control frames of WebSockets (RFC 6455, 5.5) have this bit in their first byte. */
const CONTROL = 0x08;

/**
 * Whether bytes of a WebSocket that begin with a frame bring what somebody sent: answers to pings, which a browser gives
 * by itself, are none, nor is a close.
 */
export function isTyped([first = CONTROL]: Uint8Array): boolean {
  return (first & CONTROL) === 0;
}

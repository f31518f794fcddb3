export { StreamProtocolError, StreamResetError } from './errors.ts';
export { SpdyConnection } from './spdy/connection.ts';
export type { SpdyOptions } from './spdy/connection.ts';
export type { SpdyStream } from './spdy/lane.ts';
export type { SpdyHeaders } from './spdy/header-block.ts';
export type { HeaderCodec } from './spdy/header-codec.ts';
export { encodeBase64, tunnelOver } from './messages.ts';
export type { Message, Messages } from './messages.ts';
export {
  agreeOnProtocol,
  commandProtocol,
  namesIn,
  SPDY_COMMAND_PROTOCOLS,
  WEBSOCKET_COMMAND_PROTOCOLS,
} from './command/protocols.ts';
export type { CommandProtocol } from './command/protocols.ts';
export { noSizes } from './command/session.ts';
export type { CommandOutcome, CommandSession, CommandStreams, TerminalSize } from './command/session.ts';
export { runCommandOverSpdy } from './command/spdy-client.ts';
export type { CommandEnds } from './command/spdy-client.ts';
export { commandOverSpdy } from './command/spdy-session.ts';
export type { SpdyGround } from './command/spdy-session.ts';
export { commandOverWebSocket } from './command/websocket-session.ts';
export type { PortTarget } from './forward/session.ts';
export {
  FORWARD_PROTOCOL,
  FORWARD_TUNNEL_PROTOCOL,
  openForwarded,
  serveForwardOverSpdy,
} from './forward/spdy-forward.ts';
export { forwardPorts, serveForwardOverWebSocket, WEBSOCKET_FORWARD_PROTOCOLS } from './forward/websocket-forward.ts';
export { translateCommand } from './translate/command.ts';
export type { Translated } from './translate/command.ts';
export type { TranslationGround } from './translate/dial.ts';
export { translateForward, tunnelForward } from './translate/forward.ts';

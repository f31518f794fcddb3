export { failureOf, loadChannelModules, openChannel, STATUS } from './channel.ts';
export type { Channel, ChannelLimits, Descriptor, GrpcFailure, Method, StreamSink } from './channel.ts';
export { describe } from './descriptors.ts';
export type { ProtocolName } from './descriptors.ts';
export { GrpcError, GrpcRefusal } from './errors.ts';
export { serveSocket } from './server.ts';
export type { Answering, GrpcServer, ServeOptions } from './server.ts';

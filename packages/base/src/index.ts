export { allEnded } from './all-ended.ts';
export { base64ToBytes, bytesOfLetters } from './base64.ts';
export { certificatePem, readPemBlocks } from './pem.ts';
export type { PemBlock } from './pem.ts';
export { AbortedError, AssertionError, assert, CatalogueError, messageOf, unreachable } from './error.ts';
export { BoundedQueue, QueueFullError } from './bounded-queue.ts';
export { sameBytes } from './same-bytes.ts';
export { DueNames } from './due-names.ts';
export type { DueNamesOptions } from './due-names.ts';
export { ClientCount, clientOfUser } from './client-count.ts';
export type { ClientBounds } from './client-count.ts';
export { formatGoDuration, parseGoDuration } from './go-duration.ts';
export { fnv1a } from './fnv1a.ts';
export { openGate } from './gate.ts';
export type { Gate, Intent } from './gate.ts';
export { GrowingBytes } from './growing-bytes.ts';
export { LineSplitter, linesOf } from './line-splitter.ts';
export type { LineBound } from './line-splitter.ts';
export { deepFreeze } from './freeze.ts';
export { Heap } from './heap.ts';
export { validHostName } from './host-name.ts';
export { bracketed, hostPort } from './host-port.ts';
export { joinBytes, readAll, StreamCutError, StreamEndedError } from './duplex.ts';
export type { ByteSink, ByteSource, Duplex } from './duplex.ts';
export { joinDuplex } from './duplex-join.ts';
export { createDuplexPair } from './duplex-pair.ts';
export type { PairedDuplex } from './duplex-pair.ts';
export type { CertificateFlaw, HttpCall, HttpCaller, HttpReply, HttpTrust, HttpUpgraded } from './http.ts';
export { takesGzip } from './takes-gzip.ts';
export { HttpConnectError, HttpTimeoutError } from './http-errors.ts';
export type { CalledUrl, HttpFault } from './http-errors.ts';
export { createTimeFormatter, delayUntil, formatMicroTime, formatTime, sleep } from './clock.ts';
export type { Clock, Timer } from './clock.ts';
export type { CallContext, Cause, Fence } from './context.ts';
export { addressBytes, addressText, canonicalAddress, isMappedIpv4, plainAddress, plainBytes } from './ip-address.ts';
export { ipFamily, ofFamily } from './ip-family.ts';
export type { IpFamily } from './ip-family.ts';
export { addressAt, doOverlap, formatRange, inRanges, ipRange, isInRange, networkBytes } from './ip-range.ts';
export type { IpRange } from './ip-range.ts';
export type { DeviceMeasures, DeviceWait } from './device-measures.ts';
export { createLogger, silentLogger } from './logger.ts';
export type { LogFields, Logger, LoggerOptions, LogLevel } from './logger.ts';
export { orAborted } from './or-aborted.ts';
export { exponentialBounds, NO_FIGURES } from './figure-measures.ts';
export type { CountFigure, FigureMeasures, GaugeFigure, NamedFigure, SpreadFigure } from './figure-measures.ts';
export type { QueueMeasures, QueueMeter } from './queue-measures.ts';
export { createSeededRandom, jitter, nameSuffix, randomBelow, randomFloat } from './random.ts';
export type { Random } from './random.ts';
export { atOnce, walkInPieces } from './pieces.ts';
export type { Pieces, Walk } from './pieces.ts';
export { RecentTable } from './recent-table.ts';
export type { Rollout, RolloutMeasures } from './rollout-measures.ts';
export { startRounds } from './rounds.ts';
export type { RoundOptions, Rounds, Running } from './rounds.ts';
export type {
  GaugeSink,
  SchedulerGauge,
  SchedulerMeasures,
  SchedulerSpread,
  SchedulerTally,
  Spread,
  Tally,
} from './scheduler-measures.ts';
export { Scope } from './scope.ts';
export { detailOf, HOP_KINDS, silentTrace } from './trace.ts';
export type { Hop, HopDetail, HopKind, Trace, TraceObject } from './trace.ts';
export { coalesced, SerialQueue } from './serial-queue.ts';
export { SharedTurns } from './shared-turns.ts';
export type { TurnFlow } from './shared-turns.ts';
export { TurnBudget } from './turn-budget.ts';
export { utf8Prefix } from './utf8-prefix.ts';
export { within } from './within.ts';
export type { Patience } from './within.ts';
export { VirtualClock } from './testing/virtual-clock.ts';

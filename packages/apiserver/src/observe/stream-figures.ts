import type { StreamMeasures, StreamWay } from '../ports/measures.ts';
import { CounterFamily } from './series.ts';

/** What is counted of streams of pods, in upstream's names (k8s.io/apiserver, util/proxy/metrics). */
export class StreamFigures implements StreamMeasures {
  readonly #webSockets = new CounterFamily({
    name: 'apiserver_websocket_streaming_requests_total',
    help: 'Streams of pods over WebSockets, by who understands them.',
    labels: ['subresource', 'proxy_type'],
  });
  readonly #translated = new CounterFamily({
    name: 'apiserver_stream_translator_requests_total',
    help: 'Commands over WebSockets that went to the kubelet over SPDY.',
    labels: ['code'],
  });
  readonly #tunneled = new CounterFamily({
    name: 'apiserver_stream_tunnel_requests_total',
    help: 'Forwards of ports that came as SPDY in a WebSocket and went to the kubelet without it.',
    labels: ['code'],
  });

  webSocket(subresource: string, way: StreamWay): void {
    this.#webSockets.add([subresource, way]);
  }

  translated(code: number): void {
    this.#translated.add([String(code)]);
  }

  tunneled(code: number): void {
    this.#tunneled.add([String(code)]);
  }

  render(out: string[]): void {
    for (const family of [this.#webSockets, this.#translated, this.#tunneled]) family.render(out);
  }
}

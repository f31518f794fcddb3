/** The thread of `YamlThread`: converts what it is sent, one text after the other. */
import { parentPort } from 'node:worker_threads';
import { assert } from '@binnacle/base';
import { DecodeError, StatusError } from '@binnacle/machinery';
import { jsonToYaml, yamlToJson } from '@binnacle/machinery/yaml-text';
import type { YamlAnswer, YamlTask } from './yaml-thread.ts';

assert(parentPort !== null, 'a thread has a parent');
const parent = parentPort;
parent.on('message', (task: YamlTask) => {
  const answer = answerOf(task);
  parent.postMessage(answer, 'bytes' in answer ? [answer.bytes.buffer] : []);
});

function answerOf({ to, text }: YamlTask): YamlAnswer {
  try {
    if (to === 'yaml') return { bytes: owned(jsonToYaml(text)), problems: [] };
    const { json, problems } = yamlToJson(text);
    return { bytes: owned(json), problems };
  } catch (error) {
    if (error instanceof DecodeError) return { malformed: error.message };
    if (error instanceof StatusError) return { refused: error.status };
    throw error;
  }
}

/** In memory that may be given away. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);
}

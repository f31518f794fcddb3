/**
 * The protobuf form of the second version of OpenAPI, which kubectl asks for. The messages are those of gnostic's
 * openapi.v2 package; the table below holds the field numbers of the part of it that our documents use.
 */
import type { JsonObject } from './dialect.ts';
import { ProtoWriter } from '@binnacle/machinery';

/**
 * How a member of the JSON document becomes a field:
 *
 *     string strings bool any anys              as they are; `any` is YAML text, of which JSON is a part
 *     Name  []Name                              a message, a repeated message
 *     {}Name                                    a message whose field 1 repeats (name, Name) pairs
 */
type Fields = { readonly [member: string]: readonly [number: number, type: string] };

const MESSAGES: { readonly [message: string]: Fields } = {
  Document: {
    swagger: [1, 'string'],
    info: [2, 'Info'],
    paths: [8, 'Paths'],
    definitions: [9, '{}Schema'],
  },
  Info: { title: [1, 'string'], version: [2, 'string'] },
  PathItem: {
    get: [2, 'Operation'],
    put: [3, 'Operation'],
    post: [4, 'Operation'],
    delete: [5, 'Operation'],
    options: [6, 'Operation'],
    head: [7, 'Operation'],
    patch: [8, 'Operation'],
    parameters: [9, '[]Parameter'],
  },
  Operation: {
    tags: [1, 'strings'],
    operationId: [5, 'string'],
    produces: [6, 'strings'],
    consumes: [7, 'strings'],
    parameters: [8, '[]Parameter'],
    responses: [9, 'Responses'],
    schemes: [10, 'strings'],
  },
  BodyParameter: { name: [2, 'string'], in: [3, 'string'], required: [4, 'bool'], schema: [5, 'Schema'] },
  QueryParameter: {
    in: [2, 'string'],
    name: [4, 'string'],
    type: [6, 'string'],
    uniqueItems: [20, 'bool'],
  },
  PathParameter: {
    required: [1, 'bool'],
    in: [2, 'string'],
    name: [4, 'string'],
    type: [5, 'string'],
    uniqueItems: [19, 'bool'],
  },
  Response: { description: [1, 'string'], schema: [2, 'SchemaItem'] },
  SchemaItem: { schema: [1, 'Schema'] },
  Schema: {
    $ref: [1, 'string'],
    format: [2, 'string'],
    title: [3, 'string'],
    description: [4, 'string'],
    default: [5, 'any'],
    pattern: [13, 'string'],
    required: [19, 'strings'],
    enum: [20, 'anys'],
    additionalProperties: [21, 'SchemaOrBool'],
    type: [22, 'TypeItem'],
    items: [23, 'SchemaItem'],
    properties: [25, '{}Schema'],
  },
};

/** Where a message keeps members whose name starts with `x-`. */
const EXTENSIONS: { readonly [message: string]: number } = { Operation: 13, PathItem: 10, Schema: 31 };

/** Encodes a document of `documentV2`. */
export function encodeGnosticV2(document: JsonObject): Uint8Array {
  const writer = new ProtoWriter(1 << 20);
  new Encoder(writer).fields('Document', document);
  return writer.finish();
}

class Encoder {
  readonly #writer: ProtoWriter;

  constructor(writer: ProtoWriter) {
    this.#writer = writer;
  }

  fields(message: string, value: JsonObject): void {
    const fields = MESSAGES[message] ?? {};
    for (const [name, member] of Object.entries(value)) {
      const field = fields[name];
      if (field !== undefined) this.#field(field[0], field[1], member);
      else if (name.startsWith('x-')) this.#named(EXTENSIONS[message] ?? 0, name, () => this.#yaml(member));
    }
  }

  #field(number: number, type: string, value: unknown): void {
    const writer = this.#writer;
    switch (type) {
      case 'string':
        return writer.string(number, String(value));
      case 'bool':
        return writer.bool(number, value === true);
      case 'strings':
        return (value as readonly string[]).forEach((text) => writer.string(number, text));
      case 'anys':
        return (value as readonly unknown[]).forEach((item) => writer.message(number, () => this.#yaml(item)));
      case 'any':
        return writer.message(number, () => this.#yaml(value));
      case 'SchemaOrBool':
        if (typeof value === 'boolean') return writer.message(number, () => writer.bool(2, value));
        return this.#field(number, 'SchemaItem', value);
      case 'TypeItem':
        return writer.message(number, () => writer.string(1, String(value)));
      case 'SchemaItem':
        return writer.message(number, () => writer.message(1, () => this.fields('Schema', value as JsonObject)));
      case 'Paths':
        return writer.message(number, () => this.#pairs(2, 'PathItem', value as JsonObject));
      case 'Responses':
        return writer.message(number, () => this.#responses(value as JsonObject));
      case '[]Parameter':
        return (value as readonly JsonObject[]).forEach((parameter) => this.#parameter(number, parameter));
      default:
        return this.#message(number, type, value as JsonObject);
    }
  }

  #message(number: number, type: string, value: JsonObject): void {
    this.#writer.message(number, () => {
      if (type.startsWith('{}')) this.#pairs(1, type.slice(2), value);
      else this.fields(type, value);
    });
  }

  #pairs(number: number, message: string, value: JsonObject): void {
    for (const [name, member] of Object.entries(value)) {
      this.#named(number, name, () => this.fields(message, member as JsonObject));
    }
  }

  /** A (name, value) pair. */
  #named(number: number, name: string, write: () => void): void {
    this.#writer.message(number, () => {
      this.#writer.string(1, name);
      this.#writer.message(2, write);
    });
  }

  /** A response hides behind a choice between it and a reference. */
  #responses(value: JsonObject): void {
    for (const [code, response] of Object.entries(value)) {
      this.#named(1, code, () => this.#writer.message(1, () => this.fields('Response', response as JsonObject)));
    }
  }

  /** So does a parameter, behind two or three of them. */
  #parameter(number: number, value: JsonObject): void {
    const writer = this.#writer;
    const write = (message: string) => () => this.fields(message, value);
    writer.message(number, () =>
      writer.message(1, () => {
        if (value['in'] === 'body') writer.message(1, write('BodyParameter'));
        else if (value['in'] === 'query') writer.message(2, () => writer.message(3, write('QueryParameter')));
        else writer.message(2, () => writer.message(4, write('PathParameter')));
      }),
    );
  }

  #yaml(value: unknown): void {
    this.#writer.string(2, `${JSON.stringify(value)}\n`);
  }
}

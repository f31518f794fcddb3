/** One clause of an Accept header, or a Content-Type. */
export interface MediaType {
  /** In lower case. */
  readonly type: string;
  readonly parameters: { readonly [name: string]: string };
  /** 1 where nothing is said. */
  readonly quality: number;
}

/** `application/json;as=Table;v=v1` → its type in lower case and its parameters. */
export function parseMediaType(text: string): MediaType {
  const [type = '', ...rest] = text.split(';');
  const parameters: { [name: string]: string } = {};
  for (const parameter of rest) {
    const equals = parameter.indexOf('=');
    if (equals !== -1) parameters[parameter.slice(0, equals).trim()] = parameter.slice(equals + 1).trim();
  }
  const quality = parameters['q'] === undefined ? 1 : Number(parameters['q']);
  return { type: type.trim().toLowerCase(), parameters, quality };
}

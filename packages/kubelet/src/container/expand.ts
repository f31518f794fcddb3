/**
 * `$(NAME)` references as the Pod API defines them: known names are replaced, `$$` is a dollar sign
 * (so `$$(NAME)` stays `$(NAME)`), and what is not known is left as it was written.
 */
export function expand(text: string, lookup: (name: string) => string | undefined): string {
  if (!text.includes('$')) return text;
  let out = '';
  let at = 0;
  while (at < text.length) {
    const dollar = text.indexOf('$', at);
    if (dollar === -1 || dollar + 1 >= text.length) return out + text.slice(at);
    out += text.slice(at, dollar);
    const next = text[dollar + 1];
    if (next === '$') {
      out += '$';
      at = dollar + 2;
    } else if (next === '(') {
      const close = text.indexOf(')', dollar + 2);
      if (close === -1) {
        out += '$(';
        at = dollar + 2;
      } else {
        const name = text.slice(dollar + 2, close);
        out += lookup(name) ?? `$(${name})`;
        at = close + 1;
      }
    } else {
      out += `$${next ?? ''}`;
      at = dollar + 2;
    }
  }
  return out;
}

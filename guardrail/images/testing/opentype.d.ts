/** The used part of the library. Its published types include browser types, which are wrong for this project. */
declare module 'opentype.js' {
  interface Font {
    getPath(text: string, x: number, y: number, size: number): { toPathData(decimals: number): string };
  }
  const opentype: { parse(bytes: ArrayBuffer): Font };
  export default opentype;
  export type { Font };
}

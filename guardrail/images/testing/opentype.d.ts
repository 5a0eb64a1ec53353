/** What is used of it. The published types bring those of browsers with them, which are wrong in the rest of the project. */
declare module 'opentype.js' {
  interface Font {
    getPath(text: string, x: number, y: number, size: number): { toPathData(decimals: number): string };
  }
  const opentype: { parse(bytes: ArrayBuffer): Font };
  export default opentype;
  export type { Font };
}

(() => {
  const main = document.querySelector('main');
  const origin = main.getBoundingClientRect();
  const pen = document.createElement('canvas').getContext('2d');
  const words = [];
  const values = [];
  let text = '';

  /** The boxes of the ink of a part of a text node, one for each line. */
  const inkOf = (node, from, to) => {
    const style = getComputedStyle(node.parentElement);
    pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const ink = pen.measureText(node.data.slice(from, to));
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    return [...range.getClientRects()].map(({ left, top, width, height }) => {
      // The rectangle is as high as the font says, and its half leading is outside.
      const spare = height - ink.fontBoundingBoxAscent - ink.fontBoundingBoxDescent;
      const baseline = top + spare / 2 + ink.fontBoundingBoxAscent;
      return [
        left - origin.left,
        baseline - ink.actualBoundingBoxAscent - origin.top,
        width,
        ink.actualBoundingBoxAscent + ink.actualBoundingBoxDescent,
      ];
    });
  };

  const endLine = (sign) => {
    text = text.trimEnd();
    if (text !== '') text += sign;
  };

  const read = (node, value) => {
    if (node.nodeType === Node.TEXT_NODE) {
      if (value) value.boxes.push(...inkOf(node, 0, node.data.length));
      for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
        const [box] = inkOf(node, index, index + word.length);
        const touches =
          (index === 0 && node.previousSibling?.localName === 'x-v') ||
          (index + word.length === node.data.length && node.nextSibling?.localName === 'x-v');
        if (box) words.push({ text: word, box, isValue: value !== undefined || touches });
      }
      text += node.data;
      return;
    }
    const isValue = node.localName === 'x-v';
    const { display } = getComputedStyle(node);
    const isBlock = !isValue && display !== 'inline';
    const sign = display === 'table-cell' ? '\t' : node.className === 'label' ? ' ' : '\n';
    if (isBlock && !/[\t\n ]$/.test(text)) endLine('\n');
    const own = isValue
      ? { kind: node.getAttribute('k'), text: node.textContent, boxes: [], start: text.length }
      : value;
    for (const child of node.childNodes) read(child, own);
    if (isValue) values.push({ ...own, end: text.length });
    if (isBlock) endLine(sign);
  };
  read(main);
  return { text, words, values };
})();

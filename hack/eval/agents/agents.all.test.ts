import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { measureAgents, readShippedAgents, worseAgents } from './measure.ts';
import { pythonLiterals } from './readers.ts';

describe('texts of agents', function () {
  this.timeout(600_000);

  it('are not altered more than by the shipped detector (to update, run `npm run eval -- --agents --write`)', async () => {
    const { figures } = await measureAgents();
    expect(worseAgents(readShippedAgents(), figures)).to.deep.equal([]);
  });

  it('in Python are literals, without docstrings and messages for the user', () => {
    const folder = mkdtempSync(join(tmpdir(), 'agents-'));
    const file = join(folder, 'a.py');
    writeFileSync(
      file,
      '"""doc"""\nA = "one" + x\nB = f"two {x} three"\nC = Field(description="four")\nraise E("five")\nlog.info("six")\n',
    );
    const literals = pythonLiterals([file]);
    rmSync(folder, { recursive: true });
    expect(literals).to.deep.equal([
      { text: 'one…', isDescription: false },
      { text: 'two … three', isDescription: false },
      { text: 'four', isDescription: true },
    ]);
  });
});

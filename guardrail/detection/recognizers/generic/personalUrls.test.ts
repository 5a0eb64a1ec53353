import { expect } from 'chai';
import { expectLinearTime } from '../../../../hack/harness/linearTime.ts';
import { identifiesSomebody } from './personalUrls.ts';

const personal: Readonly<Record<string, readonly string[]>> = {
  'credentials and e-mail addresses': [
    'https://anna:s3cret@files.example.com/',
    'ftp://anna@files.example.com/list.txt',
    'redis://:p4ssw0rd@cache:6379/0',
    'https://example.com/unsubscribe?address=anna@example.org',
    'https://example.com/thanks/anna%40example.org',
    'https://example.com/#/mail/anna.schmidt@example.co.uk/read',
  ],
  profiles: [
    'https://www.linkedin.com/in/anna-schmidt-4419/',
    'linkedin.com/in/anna-schmidt',
    'https://de.linkedin.com/in/annaschmidt?trk=public',
    'https://github.com/anna-schmidt',
    'github.com/anna-schmidt',
    'https://gitlab.com/aschmidt/',
    'https://x.com/annaschmidt',
    'https://twitter.com/annaschmidt/status/1790000000000000000',
    'https://www.facebook.com/anna.schmidt.94',
    'https://facebook.com/profile.php?id=100012345678',
    'https://m.facebook.com/anna.schmidt.94',
    'https://instagram.com/anna.s/',
    'https://www.tiktok.com/@anna.s',
    'https://mastodon.social/@anna',
    'https://fosstodon.org/@anna/112233445566778899',
    'https://medium.com/@anna.schmidt',
    'https://www.youtube.com/@annaschmidt',
    'https://www.xing.com/profile/Anna_Schmidt7',
    'https://www.reddit.com/user/annas/comments',
    'https://t.me/annaschmidt',
    'https://wa.me/4915112345678',
    'https://bsky.app/profile/anna.example.org',
    'https://orcid.org/0000-0002-1825-0097',
    'https://stackoverflow.com/users/12345/anna',
    'https://scholar.google.com/citations?hl=en&user=AbCdEfGhIjK',
    'https://calendly.com/anna-schmidt/30min',
    'https://people.example.edu/~anna/papers.html',
    'https://social.example/users/anna',
    'https://forum.example/u/anna_s',
    'https://shop.example/customers/100442',
    'https://api.example.com/v1/patients/88231/records',
    'https://firm.example/team/anna-schmidt',
    'https://blog.example/author/anna-schmidt',
    'https://anna.example/cv',
    'https://anna.example/lebenslauf.pdf',
  ],
  'parameters about a person': [
    'https://crm.example/search?name=Anna+Schmidt',
    'https://crm.example/open?customer_id=100442',
    'https://crm.example/open?tab=2&userId=anna',
    'https://maps.example/?lat=52.5163&lng=13.3777',
    'https://form.example/prefill?phone=%2B4915112345678',
    'https://example.org/?dob=1990-04-12',
  ],
  'secrets, sessions and signatures': [
    'https://api.example.com/v1?access_token=abcdefgh',
    'https://api.example.com/v1?apiKey=abcd1234',
    'https://example.com/cb#id_token=eyJhbGciOi',
    'https://example.com/cb?code=4f0a81bc&state=x',
    'https://shop.example/cart;jsessionid=1A530637289A03B07199A44E8D531427',
    'https://shop.example/cart?PHPSESSID=q1w2e3r4t5',
    'https://bucket.s3.amazonaws.com/a.pdf?X-Amz-Date=20240101&X-Amz-Signature=fe5f80f77d5fa3be',
    'https://store.blob.core.windows.net/a/b.csv?sv=2022-11-02&sig=AbC%2Bdef',
    'https://docs.google.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit',
  ],
  'invitations, meetings and links that reset': [
    'https://app.example.com/invite/8fK2mQ',
    'https://chat.whatsapp.com/HXk2a9SdPqL',
    'https://discord.gg/aB3dE5',
    'https://us02web.zoom.us/j/83456789012',
    'https://meet.google.com/abc-defg-hij',
    'https://app.example.com/reset-password/9d8c7b6a5f4e',
    'https://app.example.com/verify/QmVyKz93',
    'https://news.example.com/unsubscribe/77ab12cd',
  ],
};

const publicUrls: Readonly<Record<string, readonly string[]>> = {
  'sites of organisations': [
    'https://www.example-bank.com',
    'http://www.firm.example/',
    'https://shop.example.com:8443/',
    'https://www.city.example/opening-hours',
    'www.firm.example/contact',
    'https://intranet.firm.example/portal/news',
  ],
  'articles and files': [
    'https://en.wikipedia.org/wiki/Marie_Curie',
    'https://news.example.com/2024/05/17/mayor-opens-new-bridge',
    'https://news.example.com/politics/article-1234567890.html',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    'https://doi.org/10.1000/182',
    'https://arxiv.org/abs/1706.03762',
    'https://firm.example/files/Annual-Report-2023-Final-Version.pdf',
    'https://firm.example/products/Deluxe-Coffee-Machine-3000-Edition',
    'https://blog.example/authors',
    'https://firm.example/team/',
    'https://firm.example/people/index.html',
    'https://docs.example.com/users/guide',
    'https://docs.example.com/team/settings',
    'https://library.example/author/search?page=2',
  ],
  'sites with accounts, but no account': [
    'https://github.com/nodejs/undici/pull/4365',
    'https://github.com/features',
    'https://gitlab.com/gitlab-org/gitlab',
    'https://x.com/search?q=weather',
    'https://x.com/i/trends',
    'https://www.facebook.com/groups/gardening',
    'https://www.facebook.com/sharer.php?u=https://news.example',
    'https://www.instagram.com/p/Cxyz',
    'https://www.linkedin.com/company/example-firm',
    'https://www.linkedin.com/jobs',
    'https://www.reddit.com/r/typescript/comments',
    'https://www.npmjs.com/package/@types/node',
    'https://cdn.example/npm/@scope/package@1.2.3/dist/index.js',
  ],
  'parameters about nobody': [
    'https://shop.example/search?q=red+shoes&sort=price',
    'https://shop.example/search?keyword=running+shoes',
    'https://shop.example/item?id=100442&color=blue',
    'https://news.example/?utm_source=newsletter&utm_campaign=spring',
    'https://api.example.com/v1/items?page=2&key=title',
    'https://api.example.com/v1?name=&user=',
    'https://api.example.com/users/me',
    'https://example.com/login?next=/home',
    'https://example.com/signup/business',
    'https://example.com/invite/colleagues',
    'https://example.com/reset-password',
    'https://example.com/share/article.html',
    'https://example.com/app#section-2',
  ],
  'names of revisions and assets': [
    'https://cdn.example/static/main.3f4a5b6c7d8e.js',
    'https://git.example/project/commit/3f2a9c01d4e5b6f708192a3b4c5d6e7f80912a3b',
    'https://git.example/project.git',
    'ssh://git@git.example/project.git',
  ],
};

describe('identifiesSomebody', () => {
  for (const [kind, urls] of Object.entries(personal))
    for (const url of urls) it(`finds ${kind}: ${url}`, () => expect(identifiesSomebody(url)).to.equal(true));
  for (const [kind, urls] of Object.entries(publicUrls))
    for (const url of urls) it(`leaves ${kind}: ${url}`, () => expect(identifiesSomebody(url)).to.equal(false));

  it('takes linear time', async () => {
    for (const part of ['/u', '/u/', '?a=', '@', '/@a', '%40', '/invite/', 'a.', '/~', 'Aa1-', '&x'])
      await expectLinearTime(part, 100_000, (length) =>
        identifiesSomebody(`https://x.example/${part.repeat(length / part.length)}`),
      );
  });
});

/** Accounts of systems and programs, words of programs, and placeholders: they identify nobody. */
export const impersonalAccounts: ReadonlySet<string> = new Set(
  `a admin administrator all allusers all_users anonymous anyone app apache api auth automation backup bin bool boolean bot bob build
  builder cache centos changelog channel char ci circleci client code config const container coder current currentuser data database
  debian default default_user demo deploy deployer developer dev devops dict docker domain dummy ec2-user email empty
  everyone example exists false fields file float foo function ftp game games gateway git github gitlab gitlab-runner guest
  here homebrew host hostname http id info input int integer invalid it item jdbc jenkins key keycloak kubernetes linux
  linuxbrew list local localhost log login logged lp mail main manager me member minio missing mongo mongodb my myapp mysql
  myuser name new nginx nil nobody node nodejs none nologin null number object oracle operator opc optional or owner param
  password path ping pi pip postgres postgresql prod production project public python rabbitmq read readonly redis regular
  required role root runner sa sample sandbox schema scott self server service session shared site some somebody someone ssh
  sshd staging std str string superuser support svc sys syslog system systemd target team temp test tester tests the this tmp
  tomcat true travis type ubuntu uid undefined unknown uint user user1 user_id userid user_name username users uuid vagrant
  value var vscode web webadmin webmaster whoami work worker world write www www-data xxx your your_username yourname you`.split(
    /\s+/,
  ),
);

/** What placeholders for accounts begin with, as alternatives. */
export const placeholderAccounts = 'your|my|some|example|test|x+$';

/** Mailboxes of functions, and senders that are programs, as alternatives. */
export const impersonalMailboxes = String.raw`no-?reply|do-?not-?reply|support|info|help|contact|admin|office|sales|team|service|security|news|newsletter|hello|mail|post|kontakt|billing|jobs|press|bot|github|notifications?|.*\[bot\]`;
